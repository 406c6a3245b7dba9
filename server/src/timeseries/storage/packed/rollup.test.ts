import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sumWhole } from '../../query/exact-sum.ts'
import { packRollups, unpackRollups } from './rollup-codec.ts'
import { divideIntoBuckets, joinRollups, rollUp, type RolledUp } from './rollup.ts'

const start = Date.parse('2026-03-01T00:00:00Z')
const HOUR_MS = 3_600_000
const FIVE_MINUTES_MS = 300_000

interface Sample {
  timeMs: number
  number: number
}

/** Rolls up samples of rows between which there are rows without a number. */
function rollUpSamples(samples: Sample[], lengthMs: number): RolledUp[] | undefined {
  const times = Float64Array.from(samples.flatMap(({ timeMs }) => [timeMs, timeMs]))
  const numberRows = Uint32Array.from(samples, (_, index) => 2 * index + 1)
  const numbers = Float64Array.from(samples, ({ number }) => number)
  return rollUp({ numbers }, divideIntoBuckets(times, numberRows, lengthMs))
}

function rollUpSlowly(samples: Sample[], lengthMs: number) {
  const buckets = new Map<number, Sample[]>()
  for (const sample of samples) {
    const startMs = Math.floor(sample.timeMs / lengthMs) * lengthMs
    buckets.set(startMs, [...(buckets.get(startMs) ?? []), sample])
  }
  return [...buckets].map(([startMs, found]) => {
    const numbers = found.map(({ number }) => number)
    return {
      startMs,
      count: numbers.length,
      whole: sumWhole(numbers),
      first: numbers[0],
      min: Math.min(...numbers),
      max: Math.max(...numbers),
      last: numbers.at(-1),
    }
  })
}

const withWhole = ({ sum, remainder, ...bucket }: RolledUp) => ({
  ...bucket,
  whole: sumWhole([sum, remainder]),
})
/** The sign of zero is not part of a minimum or maximum. */
const withoutSign = <Bucket extends { min: number; max: number }>(bucket: Bucket) => ({
  ...bucket,
  min: bucket.min + 0,
  max: bucket.max + 0,
})

const decimal = fc
  .tuple(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: 0, max: 6 }))
  .map(([whole, decimals]) => whole / 10 ** decimals)
const number = fc.oneof(
  decimal,
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  fc.float({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0),
)
const sampleOf = (numbers: fc.Arbitrary<number>) =>
  fc.record({ timeMs: fc.integer({ min: -4e7, max: 4e7 }).map((ms) => start + ms), number: numbers })
const inOrder = (samples: Sample[]) => samples.toSorted((a, b) => a.timeMs - b.timeMs)

test.each([
  ['usual numbers', sampleOf(number)],
  ['any doubles', sampleOf(fc.double({ noNaN: true, noDefaultInfinity: true }))],
])('rollups of %s are exact and restored with all bits, or there are none', (_name, sample) => {
  let [packedCount, runs] = [0, 0]
  fc.assert(
    fc.property(
      fc.array(sample, { minLength: 1 }).map(inOrder),
      fc.constantFrom(FIVE_MINUTES_MS, HOUR_MS),
      (samples, lengthMs) => {
        runs++
        const buckets = rollUpSamples(samples, lengthMs)
        if (!buckets) return
        expect(buckets.map(withWhole).map(withoutSign)).toEqual(
          rollUpSlowly(samples, lengthMs).map(withoutSign),
        )
        const packed = packRollups(buckets, lengthMs)
        if (!packed) return
        packedCount++
        expect(unpackRollups(packed, lengthMs)).toEqual(buckets)
      },
    ),
    { numRuns: 400 },
  )
  expect(packedCount).toBeGreaterThan(runs / 10)
})

test.each([
  ['usual numbers', sampleOf(number)],
  ['any doubles', sampleOf(fc.double({ noNaN: true, noDefaultInfinity: true }))],
])('rollups of %s that are joined are exact, or they are not joined', (_name, sample) => {
  let joinedCount = 0
  fc.assert(
    fc.property(fc.array(sample, { minLength: 2 }).map(inOrder), fc.nat(), (samples, at) => {
      const cut = 1 + (at % (samples.length - 1))
      const known = rollUpSamples(samples.slice(0, cut), HOUR_MS)
      const added = rollUpSamples(samples.slice(cut), HOUR_MS)
      const joined = known && added && joinRollups(known, added)
      if (!joined) return
      joinedCount++
      expect(joined.map(withWhole).map(withoutSign)).toEqual(rollUpSlowly(samples, HOUR_MS).map(withoutSign))
    }),
    { numRuns: 400 },
  )
  expect(joinedCount).toBeGreaterThan(0)
})

test('decimals have rollups of any size', () => {
  fc.assert(
    fc.property(fc.array(sampleOf(decimal), { minLength: 1 }).map(inOrder), (samples) => {
      const buckets = rollUpSamples(samples, HOUR_MS)
      expect(buckets && unpackRollups(packRollups(buckets, HOUR_MS)!, HOUR_MS)).toEqual(buckets)
      expect(buckets).toBeDefined()
    }),
  )
})

test('a sum that needs more than two doubles, or exceeds the largest one, has no rollup', () => {
  const at = (...numbers: number[]) => numbers.map((one, index) => ({ timeMs: start + index, number: one }))
  expect(rollUpSamples(at(1e300, 1, 1e-300), HOUR_MS)).toBeUndefined()
  expect(rollUpSamples(at(1e308, 1e308), HOUR_MS)).toBeUndefined()
  expect(rollUpSamples(at(1e300, 1e-300), HOUR_MS)).toMatchObject([{ sum: 1e300, remainder: 1e-300 }])
  expect(rollUpSamples(at(-0, -0), HOUR_MS)).toMatchObject([{ sum: -0, min: -0 }])
})

test('the buckets of a sensor with two decimals take less than eight bytes', () => {
  const samples = Array.from({ length: 8640 }, (_, index) => ({
    timeMs: start + index * 10_000,
    number: Math.round(2000 + 500 * Math.sin(index / 300) + ((index * 7919) % 13)) / 100,
  }))
  const buckets = rollUpSamples(samples, FIVE_MINUTES_MS)!
  expect(buckets).toHaveLength(288)
  expect(packRollups(buckets, FIVE_MINUTES_MS)!.length / 288).toBeLessThan(8)
})
