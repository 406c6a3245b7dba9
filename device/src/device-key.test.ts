import { expect, test } from 'vitest'
import { deriveDeviceKey } from './device-key.ts'

test('is the base64 HMAC-SHA256 over the device id, keyed with the text of the bootstrap key', () => {
  // printf pump-7 | openssl dgst -sha256 -hmac c2VjcmV0LWJvb3RzdHJhcC1rZXk= -binary | base64
  expect(deriveDeviceKey('c2VjcmV0LWJvb3RzdHJhcC1rZXk=', 'pump-7')).toBe(
    'DHDHRevhkkQnBtNLVY3Q3ILLp6LJUUIR1oNrMwkq2Ck=',
  )
})
