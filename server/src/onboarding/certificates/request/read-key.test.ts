import { createPublicKey, ECDH, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect, test } from 'vitest'
import { readKey } from './read-key.ts'

const makeKey = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey
const encode = (key: KeyObject) => key.export({ type: 'spki', format: 'der' })
const POINT_AT = 26

test('the usual encoding of a P-256 key is read as OpenSSL reads it', () => {
  for (let round = 0; round < 20; round++) {
    const der = encode(makeKey('P-256'))
    const { key, encoded } = readKey(der)
    expect(key.equals(createPublicKey({ key: der, format: 'der', type: 'spki' }))).toBe(true)
    expect(encoded).toEqual(der)
    expect(encode(key)).toEqual(der)
  }
})

test('a compressed P-256 key is encoded like the same key that is not compressed', () => {
  const der = encode(makeKey('P-256'))
  const compressed = ECDH.convertKey(der.subarray(POINT_AT), 'prime256v1', undefined, undefined, 'compressed')
  const head = Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex')
  const { encoded } = readKey(Buffer.concat([head, compressed as Buffer]))
  expect(encoded).toEqual(der)
})

test('other accepted keys are read', () => {
  const keys = [makeKey('P-384'), generateKeyPairSync('ed25519').publicKey]
  for (const key of keys) expect(readKey(encode(key)).encoded).toEqual(encode(key))
})

test.each([
  ['beside the curve', (point: Buffer) => point.writeUInt8(point.at(-1)! ^ 1, point.length - 1)],
  ['with a coordinate beyond the field', (point: Buffer) => point.fill(0xff, 1, 33)],
  ['at the origin', (point: Buffer) => point.fill(0, 1)],
])('a P-256 point %s is refused', (_name, change) => {
  const der = Buffer.from(encode(makeKey('P-256')))
  change(der.subarray(POINT_AT))
  expect(() => readKey(der)).toThrow('has a public key that cannot be read')
})

test('a key of another curve or of a weak length is refused with its name', () => {
  expect(() => readKey(encode(makeKey('secp256k1')))).toThrow('that is not accepted (ec secp256k1)')
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  expect(() => readKey(encode(publicKey))).toThrow('that is not accepted (rsa with 1024 bits)')
})
