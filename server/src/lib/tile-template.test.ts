import { expect, test } from 'vitest'
import { parseTileTemplate } from './tile-template.ts'

test('a template names its origin', () => {
  const address = 'https://Tiles.example.com:8443/a/{z}/{x}/{y}.png?key=b'
  expect(parseTileTemplate(address)).toEqual({ address, origin: 'https://tiles.example.com:8443' })
  const local = 'http://127.0.0.1:9000/{z}/{x}/{y}.png'
  expect(parseTileTemplate(local)).toEqual({ address: local, origin: 'http://127.0.0.1:9000' })
})

test.each([
  ['http://tiles.example.com/{z}/{x}/{y}.png', 'https://'],
  ['ftp://tiles.example.com/{z}/{x}/{y}.png', 'https://'],
  ['https://tiles.example.com/{z}/{x}.png', '{z}, {x} and {y} once each'],
  ['https://tiles.example.com/{z}/{x}/{y}/{y}.png', '{z}, {x} and {y} once each'],
  ['https://{s}.example.com/{z}/{x}/{y}.png', '{z}, {x} and {y} once each'],
  ['https://{z}.example.com/{x}/{y}.png', 'behind its host'],
  ['https://a:b@tiles.example.com/{z}/{x}/{y}.png', 'credentials'],
  ['https://[::1]/{z}/{x}/{y}.png', 'letters'],
  ["https://a;script-src'/{z}/{x}/{y}.png", 'letters'],
  ['https://tiles.example.com /{z}/{x}/{y}.png', 'must be a URL'],
  ['/{z}/{x}/{y}.png', 'must be a URL'],
  [`https://tiles.example.com/{z}/{x}/{y}.png?${'a'.repeat(2000)}`, '2000'],
])('%s is refused', (text, reason) => {
  expect(() => parseTileTemplate(text)).toThrow(reason)
})
