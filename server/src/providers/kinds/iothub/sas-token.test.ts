import { expect, test } from 'vitest'
import { signatureProblem } from '../../../../test/harness/stand-in-hub.ts'
import { baseUrl, parseConnectionString } from './connection-string.ts'
import { retryAfterMs } from './retry-after.ts'
import { sasToken } from './sas-token.ts'

const key = Buffer.alloc(32, 1)
const connection = { hostName: 'my-hub.azure-devices.net', keyName: 'iothubowner', key }
const problem = (token: string, hostName = connection.hostName) => signatureProblem(token, hostName, key)

test('the signature covers the escaped host and the expiry', () => {
  expect(problem(sasToken(connection))).toBeUndefined()
  expect(problem(sasToken({ ...connection, hostName: 'localhost:1234' }), 'localhost:1234')).toBeUndefined()
  expect(sasToken(connection, 1_700_000_000_000)).toBe(
    'SharedAccessSignature sr=my-hub.azure-devices.net&sig=ohvjcD%2FoGdU7NprmpjNXzMKwd6UqDof1ZM5r2B04aoA%3D&se=1700000600&skn=iothubowner',
  )
})

test('the hub refuses another key, another host and an expired token', () => {
  expect(problem(sasToken({ ...connection, key: Buffer.alloc(32, 2) }))).toBe('wrong signature')
  expect(problem(sasToken(connection), 'other.azure-devices.net')).toBe('signed for something else')
  expect(problem(sasToken(connection, Date.now() - 3_600_000))).toBe('expired')
})

test.each([
  ['my-hub.azure-devices.net', 'https://my-hub.azure-devices.net'],
  ['localhost:8081', 'http://localhost:8081'],
  ['127.0.0.1:8081', 'http://127.0.0.1:8081'],
  ['localhost.example.com', 'https://localhost.example.com'],
  ['127.0.0.1.example.com', 'https://127.0.0.1.example.com'],
])('%s is called by %s', (hostName, url) => {
  const text = `HostName=${hostName};SharedAccessKeyName=a;SharedAccessKey=${key.toString('base64')}`
  expect(baseUrl(parseConnectionString(text))).toBe(url)
})

test('Retry-After is a number of seconds or a date; without it the pause increases', () => {
  expect(retryAfterMs('3', 1)).toBe(3000)
  expect(retryAfterMs('Sat, 21 Nov 2026 00:00:05 GMT', 1, Date.UTC(2026, 10, 21))).toBe(5000)
  expect(retryAfterMs('Sat, 21 Nov 2026 00:00:05 GMT', 1, Date.UTC(2026, 10, 22))).toBe(0)
  expect([1, 2].map((tries) => retryAfterMs(undefined, tries))).toEqual([1000, 2000])
  expect(retryAfterMs('soon', 1)).toBe(1000)
})
