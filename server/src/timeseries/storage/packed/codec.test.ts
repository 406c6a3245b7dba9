import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packNumbers, unpackNumbers } from './numbers.ts'
import { packTimes, unpackTimes } from './times.ts'
import {
  createByteWriter,
  MAX_SIGNED,
  readSigned,
  readSignedNumbers,
  readUnsigned,
  writeSigned,
  writeUnsigned,
  writtenBytes,
} from './varint.ts'

const edges = [0, 1, 127, 128, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 52, Number.MAX_SAFE_INTEGER]

test('integers are restored, also beyond 32 bits', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...edges), fc.maxSafeNat())), (values) => {
      const writer = createByteWriter(0)
      for (const value of values) writeUnsigned(writer, value)
      const reader = { bytes: writtenBytes(writer), at: 0 }
      expect(values.map(() => readUnsigned(reader))).toEqual(values)
      expect(reader.at).toBe(reader.bytes.length)
    }),
  )
})

test('signed integers are restored, and small ones take one byte', () => {
  const signed = fc.integer({ min: -MAX_SIGNED, max: MAX_SIGNED })
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom(MAX_SIGNED, -MAX_SIGNED, -1, 63, -64), signed)),
      (values) => {
        const writer = createByteWriter()
        for (const value of values) writeSigned(writer, value)
        const bytes = writtenBytes(writer)
        const reader = { bytes, at: 0 }
        expect(values.map(() => readSigned(reader))).toEqual(values)
        expect([...readSignedNumbers(bytes, values.length)]).toEqual(values)
      },
    ),
  )
  const writer = createByteWriter()
  writeSigned(writer, -64)
  expect(writer.length).toBe(1)
})

test('bytes that end within a number are an error', () => {
  expect(() => readUnsigned({ bytes: Uint8Array.of(0x80), at: 0 })).toThrow(RangeError)
  expect(() => readUnsigned({ bytes: new Uint8Array(), at: 0 })).toThrow(RangeError)
  expect(() => readSignedNumbers(Uint8Array.of(2, 0x80), 2)).toThrow(RangeError)
  expect(() => readSignedNumbers(Uint8Array.of(2), 2)).toThrow(RangeError)
})

test('times are restored', () => {
  const time = fc.integer({ min: -(2 ** 50), max: 2 ** 50 })
  const near = fc.integer({ min: 1_700_000_000_000, max: 1_700_086_400_000 })
  fc.assert(
    fc.property(fc.oneof(fc.array(time), fc.array(near)), (unsorted) => {
      const times = unsorted.toSorted((a, b) => a - b)
      expect([...unpackTimes(packTimes(times), times.length)]).toEqual(times)
    }),
  )
})

test('every number is restored with all its bits', () => {
  const decimal = fc
    .tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 9 }))
    .map(([whole, decimals]) => whole / 10 ** decimals)
  const double = fc.double({ noNaN: true })
  const kinds = [
    fc.array(fc.oneof(fc.constantFrom(0, -0, 0.1, 1e300, -1e300, 5e-324, 2 ** 53, -(2 ** 51)), double)),
    fc.array(decimal),
    fc.array(fc.oneof(decimal, fc.constantFrom(-0, 2 ** 52))),
    fc.array(double.map(Math.fround)),
    fc.array(fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })),
  ]
  fc.assert(
    fc.property(fc.oneof(...kinds), (values) => {
      const numbers = Float64Array.from(values)
      const unpacked = unpackNumbers(packNumbers(numbers), numbers.length)
      // Compares bits, since 0 and -0 are equal otherwise.
      expect(new BigInt64Array(unpacked.buffer)).toEqual(new BigInt64Array(numbers.buffer))
    }),
    { numRuns: 500 },
  )
})

test('a sensor with two decimals takes about a byte a value, and a constant one nothing', () => {
  const count = 8640
  const walk = Float64Array.from(
    { length: count },
    (_, index) => Math.round(2000 + 500 * Math.sin(index / 300) + ((index * 7919) % 13)) / 100,
  )
  expect(packNumbers(walk).length / count).toBeLessThan(1)
  expect(packNumbers(new Float64Array(count).fill(21.5)).length).toBeLessThan(50)
  expect(
    packTimes(Array.from({ length: count }, (_, index) => 1_700_000_000_000 + index * 10_000)).length,
  ).toBeLessThan(60)
})
