import { expect, test } from 'vitest'
import { cutSpans, makeBand } from './spans.ts'

const states = { shared: 'both', alone: 'alone' }

test('spans are cut where others begin and end', () => {
  const others = [
    { from: 5, to: 12 },
    { from: 14, to: 16 },
    { from: 30, to: 40 },
  ]
  const spans = [
    { from: 10, to: 20 },
    { from: 32, to: 35 },
    { from: 50, to: 60 },
  ]
  expect(cutSpans(spans, others, states)).toEqual([
    { from: 10, to: 12, state: 'both' },
    { from: 12, to: 14, state: 'alone' },
    { from: 14, to: 16, state: 'both' },
    { from: 16, to: 20, state: 'alone' },
    { from: 32, to: 35, state: 'both' },
    { from: 50, to: 60, state: 'alone' },
  ])
  expect(cutSpans(spans.slice(0, 1), [], states)).toEqual([{ from: 10, to: 20, state: 'alone' }])
})

test('a band has the states of its spans, and the idle state between them, within the range', () => {
  const spans = [
    { from: -5, to: 2, state: 'a' },
    { from: 4, to: 6, state: 'a' },
    { from: 6, to: 8, state: 'b' },
    { from: 20, to: 30, state: 'a' },
  ]
  const { times, values, states: texts, length } = makeBand(spans, 'idle', { from: 0, to: 10 })
  const read = Array.from({ length }, (_, index) => [times[index], texts![values[index]!]])
  expect(read).toEqual([
    [0, 'a'],
    [2, 'idle'],
    [4, 'a'],
    [6, 'b'],
    [8, 'idle'],
    [10, 'idle'],
  ])
})
