import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSealer, sealedPlace } from './seal.ts'

const place = sealedPlace('routing_targets', 'webhook_secret_sealed', 'a')

test('opens what it sealed, and each sealing is different', () => {
  const sealer = createSealer([randomBytes(32)])
  const one = sealer.seal('secret ünïcode', place)
  expect(sealer.open(one, place)).toBe('secret ünïcode')
  expect(sealer.seal('secret ünïcode', place).equals(one)).toBe(false)
})

test('does not open in another place, after a change of any byte, or with another key', () => {
  const sealer = createSealer([randomBytes(32)])
  const sealed = sealer.seal('secret', place)
  expect(() => sealer.open(sealed, sealedPlace('routing_targets', 'webhook_secret_sealed', 'b'))).toThrow()
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed)
    changed[index]! ^= 1
    expect(() => sealer.open(changed, place)).toThrow()
  }
  expect(() => createSealer([randomBytes(32)]).open(sealed, place)).toThrow(
    /key that this server does not have/,
  )
  expect(() => sealer.open(sealed.subarray(0, 10), place)).toThrow()
})

test('after rotation the old key still opens and the new one seals', () => {
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
  const sealed = createSealer([oldKey]).seal('secret', place)
  const both = createSealer([newKey, oldKey])
  expect(both.open(sealed, place)).toBe('secret')
  expect(createSealer([newKey]).open(both.seal('secret', place), place)).toBe('secret')
})
