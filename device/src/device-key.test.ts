import { expect, test } from 'vitest'
import { deriveDeviceKey } from './device-key.ts'

// [docs/onboarding#derived-keys]
test('is the base64 HMAC-SHA256 over the device id, keyed with the decoded bootstrap key', () => {
  // KEY=$(printf $BOOTSTRAP_KEY | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
  // printf pump-21 | openssl dgst -sha256 -mac HMAC -macopt hexkey:$KEY -binary | openssl base64
  expect(deriveDeviceKey('AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=', 'pump-21')).toBe(
    'kSmtuzzSnHo+SQe9EX+QOrldWnTcM+swVhQDXJqYTmw=',
  )
})

test.each([
  ['empty', ''],
  ['too short', 'c2VjcmV0'],
  ['in hexadecimal', '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'],
  ['without padding', 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'],
  ['followed by a line feed', 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n'],
  ['in base64url', '-_8CAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='],
])('refuses a bootstrap key that is %s', (_what, bootstrapKey) => {
  expect(() => deriveDeviceKey(bootstrapKey, 'pump-21')).toThrow(TypeError)
})
