import { expect, test } from 'vitest'
import { parseTrustedProxies } from './trusted-proxies.ts'

test.each(['false', '0'])('%s trusts no proxy', (text) => {
  expect(parseTrustedProxies(text)).toBe(false)
})

test.each([
  ['1', '192.0.2.1', 0, true],
  ['1', '192.0.2.1', 1, false],
  ['2', '192.0.2.1', 1, true],
  ['10.0.0.0/8', '10.1.2.3', 0, true],
  ['10.0.0.0/8', '10.1.2.3', 5, true],
  ['10.0.0.0/8', '11.0.0.1', 0, false],
  ['10.0.0.0/8', '::ffff:10.1.2.3', 0, true],
  ['10.0.0.1, 2001:db8::/32', '2001:db8::7', 0, true],
  ['10.0.0.1', '10.0.0.2', 0, false],
  ['10.0.0.1', 'unknown', 1, false],
])('%s trusts %s as hop %i: %s', (text, address, hop, trusted) => {
  const trust = parseTrustedProxies(text)
  expect(trust && trust(address, hop)).toBe(trusted)
})

test.each([
  'true',
  'yes',
  '-1',
  '1.5',
  '17',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/8/9',
  '::/129',
  '10.0.0.1,,',
])('%s is refused, and the message says what is expected', (text) =>
  expect(() => parseTrustedProxies(text)).toThrow('must be the number of proxies'),
)

test.each(['0.0.0.0/0', '::/0'])('%s is refused, since it would trust every address', (text) => {
  expect(() => parseTrustedProxies(text)).toThrow('would trust every address')
})
