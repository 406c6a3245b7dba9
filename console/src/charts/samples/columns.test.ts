import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findExtent, makeColumns } from './columns.ts'
import { findLongestState, findLongestStep, listGaps } from './gaps.ts'
import { listRows } from './rows.ts'
import {
  addSample,
  createSamples,
  dropBefore,
  dropUnshown,
  findNearest,
  findState,
  wrapSamples,
} from './samples.ts'
import { listStateRuns } from './state-runs.ts'
import { summarize } from './summary.ts'
import { assignAxes, limitExtent, padExtent } from './value-axes.ts'

const make = (count: number, value: (index: number) => number = (index) => index) =>
  wrapSamples({
    times: Float64Array.from({ length: count }, (_, index) => index * 1000),
    values: Float64Array.from({ length: count }, (_, index) => value(index)),
  })

test('samples stay in order, whatever the order in which they come', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 })), (times) => {
      const samples = createSamples({ capacity: 1 })
      for (const [value, time] of times.entries()) addSample(samples, time, value)
      const expected = [...new Map(times.map((time, value) => [time, value])).entries()].toSorted(
        ([a], [b]) => a - b,
      )
      expect([...samples.times.subarray(0, samples.length)]).toEqual(expected.map(([time]) => time))
      expect([...samples.values.subarray(0, samples.length)]).toEqual(expected.map(([, value]) => value))
    }),
  )
})

test('old samples are dropped, and the nearest one is found', () => {
  const samples = make(10)
  dropBefore(samples, 4000)
  expect([samples.length, samples.times[0]]).toEqual([6, 4000])
  expect([findNearest(samples, 0), findNearest(samples, 5400), findNearest(samples, 99_999)]).toEqual([
    0, 1, 5,
  ])
})

test('a live chart keeps the last sample before its left edge, whose state lasts into it', () => {
  const [hourMs, now] = [3_600_000, Date.now()]
  const samples = createSamples({ isState: true })
  for (const [hoursAgo, state] of [
    [5, 'off'],
    [4, 'on'],
    [3, 'idle'],
  ] as const)
    addSample(samples, now - hoursAgo * hourMs, findState(samples, state))
  dropUnshown(samples, hourMs)
  expect([...samples.times.subarray(0, samples.length)]).toEqual([now - 3 * hourMs])
  addSample(samples, now, findState(samples, 'on'))
  dropUnshown(samples, hourMs)
  const range = { from: now - hourMs, to: now + hourMs }
  expect(
    listStateRuns(samples, { range, lastUntil: range.to }).map((run) => ({
      ...run,
      state: samples.states![run.state],
    })),
  ).toEqual([
    { from: range.from, to: now, state: 'idle' },
    { from: now, to: range.to, state: 'on' },
  ])
})

test('a text that is always another one is dropped with its samples', () => {
  const samples = createSamples({ isState: true })
  for (let index = 0; index < 1000; index++) {
    addSample(samples, index, findState(samples, index % 3 === 0 ? 'often' : `${index}`))
    dropBefore(samples, index - 9)
  }
  expect(samples.states!.length).toBeLessThan(100)
  expect([...samples.values.subarray(0, samples.length)].map((state) => samples.states![state])).toEqual([
    'often',
    '991',
    '992',
    'often',
    '994',
    '995',
    'often',
    '997',
    '998',
    'often',
  ])
})

test('few samples are drawn as they are, with one beyond each edge', () => {
  const columns = makeColumns(make(10), {
    range: { from: 2500, to: 6500 },
    width: 100,
    longestStepMs: Infinity,
  })
  expect([...columns.times]).toEqual([2000, 3000, 4000, 5000, 6000, 7000])
  expect(columns.isReduced).toBe(false)
})

test('no spike is lost, at any width and range', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 2, max: 1500 }), (spike, width) => {
      const samples = make(10_000, (index) => (index === spike ? 1000 : Math.sin(index)))
      const columns = makeColumns(samples, {
        range: { from: 0, to: 10_000_000 },
        width,
        longestStepMs: Infinity,
      })
      expect(findExtent(columns)!.greatest).toBe(1000)
      expect(columns.length).toBeLessThanOrEqual(width + 2)
    }),
    { numRuns: 50 },
  )
})

test('columns do not move while the chart is panned', () => {
  const samples = make(10_000, (index) => (index * 7919) % 101)
  const range = { from: 1_000_000, to: 5_000_000 }
  const panned = { from: range.from + 12_345, to: range.to + 12_345 }
  const [one, other] = [range, panned].map((each) =>
    makeColumns(samples, { range: each, width: 400, longestStepMs: Infinity }),
  )
  const inside = (columns: typeof one) =>
    new Map([...columns!.times].map((time, index) => [time, columns!.greatest[index]]))
  const known = inside(one)
  const common = [...inside(other)].filter(([time]) => time > 1_100_000 && time < 4_900_000)
  expect(common.length).toBeGreaterThan(300)
  expect(common.every(([time, value]) => known.get(time) === value)).toBe(true)
})

test('the mean, the least and the greatest of a column are those of its samples', () => {
  const { means, least, greatest, length } = makeColumns(make(1000), {
    range: { from: 0, to: 1_000_000 },
    width: 10,
    longestStepMs: Infinity,
  })
  expect([length, means[0], least[0], greatest[0]]).toEqual([10, 49.5, 0, 99])
})

test('a gap stays a gap, drawn one by one and reduced', () => {
  const samples = make(2000)
  for (let index = 1000; index < 2000; index++) samples.times[index]! += 100_000
  const longestStepMs = findLongestStep(samples)
  expect(longestStepMs).toBe(2500)
  expect(listGaps(samples, longestStepMs)).toEqual([{ from: 999_000, to: 1_100_000 }])
  for (const width of [100, 4000]) {
    const columns = makeColumns(samples, { range: { from: 0, to: 2_100_000 }, width, longestStepMs })
    expect(columns.breaks.reduce((sum, one) => sum + one, 0)).toBe(1)
  }
})

test('one late sample is no gap, a missing bucket is', () => {
  const late = make(100)
  late.times[50]! += 900
  expect(listGaps(late, findLongestStep(late))).toEqual([])
  const times = Float64Array.from([0, 60, 120, 240, 300, 360])
  const buckets = wrapSamples({ times, values: times })
  expect(listGaps(buckets, findLongestStep(buckets, 60))).toEqual([{ from: 120, to: 240 }])
})

test('a signal that is slower than its buckets has no gap for each of them', () => {
  const hourly = wrapSamples({
    times: Float64Array.from({ length: 24 }, (_, hour) => hour * 3600),
    values: new Float64Array(24),
  })
  expect(listGaps(hourly, findLongestStep(hourly, 60))).toEqual([])
})

test('a state lasts until the next one, and the last until now', () => {
  const samples = createSamples({ isState: true })
  for (const [time, text] of [
    [0, 'off'],
    [10, 'on'],
    [20, 'on'],
    [30, 'off'],
  ] as const)
    addSample(samples, time, findState(samples, text))
  expect(listStateRuns(samples, { range: { from: 5, to: 100 }, lastUntil: 60 })).toEqual([
    { from: 5, to: 10, state: 0 },
    { from: 10, to: 30, state: 1 },
    { from: 30, to: 60, state: 0 },
  ])
})

test.each([
  [
    'regular samples, which stay away',
    [0, 10, 20, 30, 90],
    25,
    [
      [0, 55],
      [90, 100],
    ],
  ],
  ['samples of changes', [0, 10, 60, 62, 90], Infinity, [[0, 100]]],
  ['too few samples', [0, 90], Infinity, [[0, 100]]],
])('a state of %s ends there', (_what, times, longestMs, spans) => {
  const samples = createSamples({ isState: true })
  for (const time of times) addSample(samples, time, findState(samples, 'on'))
  expect(findLongestState(samples)).toBe(longestMs)
  const runs = listStateRuns(samples, { range: { from: 0, to: 100 }, lastUntil: 100, longestMs })
  expect(runs.map(({ from, to }) => [from, to])).toEqual(spans)
})

test('a state ends where the device goes offline, and begins again with the next sample', () => {
  const samples = createSamples({ isState: true })
  for (const time of [0, 60]) addSample(samples, time, findState(samples, 'running'))
  const offline = [
    { from: 20, to: 50 },
    { from: 55, to: 70 },
  ]
  // The sample at 60 came from a device that had kept it: its state is known.
  expect(listStateRuns(samples, { range: { from: 0, to: 100 }, lastUntil: 100, offline })).toEqual([
    { from: 0, to: 20, state: 0 },
    { from: 60, to: 100, state: 0 },
  ])
})

test('series of one unit share an axis, and narrow charts draw fewer', () => {
  const units = ['°C', 'bar', '°C', 'rpm']
  expect(assignAxes(units, 1000)).toEqual([
    { unit: '°C', side: 'left', isShown: true, series: [0, 2] },
    { unit: 'bar', side: 'right', isShown: true, series: [1] },
    { unit: 'rpm', side: 'left', isShown: true, series: [3] },
  ])
  expect(assignAxes(units, 390).map(({ isShown }) => isShown)).toEqual([true, false, false])
})

test('an axis has room around its values, and keeps a zero that is near', () => {
  expect(padExtent({ least: 5, greatest: 5 })).toEqual([4.5, 5.5])
  expect(padExtent({ least: 1, greatest: 100 })[0]).toBe(0)
  expect(padExtent({ least: 80, greatest: 100 })[0]).toBeCloseTo(78.4)
  expect(limitExtent([10, 20], {})).toEqual([10, 20])
  expect(limitExtent([10, 20], { min: 0, max: 100 })).toEqual([0, 100])
  expect(limitExtent([10, 20], { min: 50 })).toEqual([50, 60])
  expect(limitExtent([10, 20], { max: 5 })).toEqual([-5, 5])
  expect(limitExtent([10, 20], { min: 7, max: 7 })).toEqual([10, 20])
})

test('the summary is that of the range alone', () => {
  expect(summarize(make(10), { from: 2000, to: 4000 })).toEqual({ last: 4, least: 2, greatest: 4, mean: 3 })
  expect(summarize(make(10), { from: 50_000, to: 60_000 })).toBeNull()
})

test('rows join samples of the same time, the newest first', () => {
  const other = wrapSamples({ times: Float64Array.of(1000, 2500), values: Float64Array.of(7, 8) })
  const { rows, count } = listRows([make(3), other], { from: 0, to: 10_000 }, 3)
  expect(count).toBe(4)
  expect(rows).toEqual([
    { time: 2500, indexes: [-1, 1] },
    { time: 2000, indexes: [2, -1] },
    { time: 1000, indexes: [1, 0] },
  ])
})
