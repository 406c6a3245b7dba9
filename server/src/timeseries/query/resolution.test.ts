import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS } from '../storage/partition-names.ts'
import { chooseInterval } from './resolution.ts'

const HOUR_MS = 3_600_000
const midnight = Date.parse('2026-03-01T00:00:00Z')

describe('the shortest interval with at most `maxPoints` buckets is chosen', () => {
  test.each([
    [HOUR_MS, 3600, 'PT1S'],
    [HOUR_MS, 3599, 'PT5S'],
    [HOUR_MS, 12, 'PT5M'],
    [DAY_MS, 1000, 'PT2M'],
    [365 * DAY_MS, 1000, 'PT12H'],
    [365 * DAY_MS, 400, 'P1D'],
    [10_000, 1000, 'PT0.01S'],
    [0, 1, 'PT0.001S'],
  ])('%i ms with %i points: %s', (spanMs, maxPoints, text) => {
    expect(chooseInterval({ from: midnight, to: midnight + spanMs, maxPoints }).text).toBe(text)
  })

  test('where only rollups may be left, it is at least half an hour', () => {
    const span = { from: midnight, to: midnight + HOUR_MS, maxPoints: 1000 }
    expect(chooseInterval({ ...span, isRolledUp: true }).text).toBe('PT30M')
    expect(chooseInterval({ ...span, maxPoints: 1, isRolledUp: true }).text).toBe('PT1H')
  })

  test('a span that begins within a bucket has one more bucket', () => {
    const from = midnight + 1
    expect(chooseInterval({ from, to: from + HOUR_MS, maxPoints: 12 }).text).toBe('PT10M')
  })

  test('the whole span is one bucket if every interval has too many', () => {
    const [from, to] = [Date.parse('0001-01-01'), Date.parse('9999-12-31')]
    expect(chooseInterval({ from, to, maxPoints: 1 })).toEqual({ interval: undefined, text: '' })
    expect(chooseInterval({ from, to, maxPoints: 100_000 }).text).toBe('P3M')
  })
})

test('a fixed interval never has more buckets than requested', () => {
  const time = fc.integer({ min: Date.parse('0001-01-01'), max: Date.parse('9999-12-31') })
  fc.assert(
    fc.property(time, time, fc.integer({ min: 1, max: 100_000 }), (one, other, maxPoints) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)]
      const { interval } = chooseInterval({ from, to, maxPoints })
      if (interval?.unit !== 'ms') return
      const bucket = (ms: number) => Math.floor(ms / interval.count)
      expect(bucket(to - 1) - bucket(from) + 1).toBeLessThanOrEqual(maxPoints)
    }),
  )
})
