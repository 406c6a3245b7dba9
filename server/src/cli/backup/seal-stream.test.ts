import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { DamagedError } from './error.ts'
import { makeStreamKey, openStreamKey, sealStream, unsealStream } from './seal-stream.ts'

const key = randomBytes(32)
const PIECE = 64 * 1024
const SEALED_PIECE = PIECE + 16

async function* inChunks(bytes: Buffer, length: number) {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length)
}
const seal = (bytes: Buffer) => buffer(sealStream(inChunks(bytes, 10_000), key))
const open = (bytes: Buffer, by = key) => buffer(unsealStream(inChunks(bytes, 7_777), by))

test.each([0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 200_000])(
  '%i bytes are read back',
  async (length) => {
    const bytes = randomBytes(length)
    expect((await open(await seal(bytes))).equals(bytes)).toBe(true)
  },
)

test('truncated, changed, reordered, duplicated and added pieces are detected', async () => {
  const sealed = await seal(randomBytes(3 * PIECE))
  const [first, second, third] = [0, 1, 2].map((n) =>
    sealed.subarray(n * SEALED_PIECE, (n + 1) * SEALED_PIECE),
  )
  const changed = Buffer.from(sealed)
  changed[SEALED_PIECE + 5]! ^= 1
  const wrong = [
    Buffer.alloc(0),
    sealed.subarray(0, 10),
    sealed.subarray(0, -1),
    first!,
    Buffer.concat([first!, second!]),
    Buffer.concat([second!, first!, third!]),
    Buffer.concat([first!, second!, second!, third!]),
    Buffer.concat([sealed, Buffer.from('x')]),
    changed,
  ]
  for (const each of wrong) await expect(open(each)).rejects.toThrow(DamagedError)
  await expect(open(sealed, randomBytes(32))).rejects.toThrow(DamagedError)
})

test('a passphrase opens what it sealed, whatever its Unicode form; excessive costs are refused', async () => {
  const { key: made, seal: clear } = await makeStreamKey('Schl\u00fcssel zum Hafen')
  expect((await openStreamKey('Schlu\u0308ssel zum Hafen', clear)).key).toEqual(made)
  await expect(openStreamKey('Schlussel zum Hafen', clear)).rejects.toThrow('not the passphrase')
  await expect(openStreamKey('x', { ...clear, n: 2 ** 30 })).rejects.toThrow(DamagedError)
  await expect(openStreamKey('x', { ...clear, salt: 1 as never })).rejects.toThrow(DamagedError)
})
