import { expect, test } from 'vitest'
import { clientNetwork } from './client-network.ts'

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['192.0.2.1:50000', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:1:2::ffff', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s counts as %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network)
})

test('addresses in one /64 count together, others separately', () => {
  expect(clientNetwork('2001:db8::1')).toBe(clientNetwork('2001:db8::ffff:1'))
  expect(clientNetwork('2001:db8::1')).not.toBe(clientNetwork('2001:db8:0:1::1'))
})

test('text that is no address is truncated, to bound memory', () => {
  expect(clientNetwork('x'.repeat(10_000))).toHaveLength(64)
})
