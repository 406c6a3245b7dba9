import { describe, expect, test } from 'vitest'
import { isAllowedAddress, parseAllowRules } from './outbound-addresses.ts'

const closed = parseAllowRules([])
const isAllowed = (address: string, ...allow: string[]) => isAllowedAddress(address, parseAllowRules(allow))

describe('IPv6 addresses that contain an IPv4 address are checked by it', () => {
  const [metadata, publicOne] = [
    ['a9fe', 'a9fe', '169.254.169.254'],
    ['0808', '0808', '8.8.8.8'],
  ] as const
  const flipped = (part: string) => (Number.parseInt(part, 16) ^ 0xffff).toString(16)
  type Spell = (high: string, low: string, dotted: string) => string
  const spellings: [string, Spell][] = [
    ['IPv4-mapped', (_high, _low, dotted) => `::ffff:${dotted}`],
    ['IPv4-mapped, in hexadecimal', (high, low) => `::ffff:${high}:${low}`],
    ['IPv4-compatible', (_high, _low, dotted) => `::${dotted}`],
    ['IPv4-translated', (high, low) => `::ffff:0:${high}:${low}`],
    ['NAT64', (_high, _low, dotted) => `64:ff9b::${dotted}`],
    ['NAT64 of one’s own, /96', (high, low) => `64:ff9b:1::${high}:${low}`],
    [
      'NAT64 of one’s own, /64',
      (high, low) => `64:ff9b:1:0:${high.slice(0, 2)}:${high.slice(2)}${low.slice(0, 2)}:${low.slice(2)}00:0`,
    ],
    ['NAT64 of one’s own, /56', (high, low) => `64:ff9b:1:${high.slice(0, 2)}:${high.slice(2)}:${low}::`],
    ['NAT64 of one’s own, /48', (high, low) => `64:ff9b:1:${high}:${low.slice(0, 2)}:${low.slice(2)}00::`],
    ['6to4', (high, low) => `2002:${high}:${low}::1`],
    ['Teredo, client', (high, low) => `2001:0:0808:0808:8000:1234:${flipped(high)}:${flipped(low)}`],
    ['Teredo, server', (high, low) => `2001:0:${high}:${low}:8000:1234:f7f7:f7f7`],
    ['ISATAP', (high, low) => `2600:1:2:3:0:5efe:${high}:${low}`],
    ['ISATAP, with a global identifier', (high, low) => `2600:1:2:3:200:5efe:${high}:${low}`],
  ]
  test.each(spellings)('%s', (_name, spell) => {
    expect(isAllowedAddress(spell(...metadata), closed)).toBe(false)
  })
  /** An address of a private NAT64 does not contain the length of its prefix, so every interpretation has to be allowed. */
  const unambiguous = spellings.filter(([name]) => !name.startsWith('NAT64 of'))
  test.each(unambiguous)('%s of a listed address', (_name, spell) => {
    expect(isAllowed(spell(...metadata), '169.254.169.254')).toBe(true)
    expect(isAllowed(spell(...metadata), '169.254.169.253')).toBe(false)
  })
  test.each(unambiguous)('%s of a public address', (_name, spell) => {
    expect(isAllowedAddress(spell(...publicOne), closed)).toBe(true)
  })
  test('an ISATAP address below a prefix that is not public is refused', () => {
    expect(isAllowedAddress('fe80::5efe:808:808', closed)).toBe(false)
    expect(isAllowedAddress('fd00::200:5efe:808:808', closed)).toBe(false)
  })
  test('loopback', () => {
    for (const address of [
      '127.0.0.1',
      '127.9.9.9',
      '::1',
      '::ffff:127.0.0.1',
      '::127.0.0.1',
      '64:ff9b::127.0.0.1',
    ]) {
      expect(isAllowedAddress(address, closed)).toBe(false)
      expect(isAllowed(address, 'loopback')).toBe(true)
    }
  })
})

test.each([
  '::',
  '0.0.0.0',
  '4000::1',
  'ff02::1',
  'fec0::1',
  'fd00::1',
  'fe80::1',
  '100::1',
  '2001:db8::1',
  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '240.0.0.1',
])('%s is not public', (address) => {
  expect(isAllowedAddress(address, closed)).toBe(false)
})

test.each(['8.8.8.8', '2606:4700:4700::1111', '2a00:1450:4001:81b::200e'])('%s is public', (address) => {
  expect(isAllowedAddress(address, closed)).toBe(true)
})

test('a listed IPv6 range is allowed', () => {
  expect(isAllowed('fd00:1::5', 'fd00:1::/32')).toBe(true)
  expect(isAllowed('fd00:2::5', 'fd00:1::/32')).toBe(false)
  expect(isAllowed('64:ff9b:1::a00:1', '64:ff9b:1::/48')).toBe(true)
})
