/** The model reproduces what was measured, and docs/scaling.md has its tables. [docs/scaling#how-right-it-is] */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compareAll, findError, sumCost } from './compare.ts'
import { writeDocument } from './document.ts'
import { namePoint, readFigures } from './figures.ts'
import { solve } from './least-squares.ts'
import { createMachine } from './machine.ts'
import { listChanges, readModel } from './model.ts'

const figures = readFigures()
const model = readModel()
const compared = compareAll(figures, model)

/** The greatest errors, see `findError`: what docs/scaling.md says about them. */
const DIRECT = { cost: 0.2, p50: 0.5, p99: 4, rate: 0.1, commit: 0.6 }
const STREAM = { cost: 0.15, p50: 0.8, p99: 7.5, rate: 0.3, commit: 0.8 }
/** With hardly a processor free, a little more work makes messages wait for much longer. */
const FULL = { ...STREAM, p50: 6, p99: 16, commit: 14 }
const FULL_RATE = { 0: Infinity, 1: 4000, 3: 1000 }

const chooseLimits = ({ replicas, messagesPerSecond, inFlight }: Parameters<typeof namePoint>[0]) => {
  if (replicas === 0) return DIRECT
  return inFlight === 0 && messagesPerSecond >= FULL_RATE[replicas as 1 | 3] ? FULL : STREAM
}

describe.each(compared.map((one) => ({ name: namePoint(one.measured), ...one })))(
  '$name',
  ({ measured, modelled }) => {
    const most = chooseLimits(measured)
    test('costs as much processor time as was measured, and commits as many messages at once', () => {
      expect(findError(sumCost(measured), sumCost(modelled))).toBeLessThan(most.cost)
      expect(findError(measured.messagesPerCommit, modelled.messagesPerCommit)).toBeLessThan(most.commit)
    })
    test('has the measured median and 99th percentile, or the measured rate', () => {
      if (measured.inFlight > 0) {
        expect(findError(measured.messagesPerSecond, modelled.messagesPerSecond)).toBeLessThan(most.rate)
        return
      }
      expect(findError(measured.p50Ms, modelled.p50Ms)).toBeLessThan(most.p50)
      expect(findError(measured.p99Ms, modelled.p99Ms)).toBeLessThan(most.p99)
    })
  },
)

test('docs/scaling.md has the tables of the model: `npm run generate` writes them', () => {
  const text = readFileSync(new URL('../../../docs/scaling.md', import.meta.url), 'utf8')
  expect(writeDocument(text, { figures, model, compared })).toBe(text)
})

test('the model is the one that fits what was measured: `npm run generate` finds another one', () => {
  expect(listChanges(figures, model)).toEqual([])
})

test('least squares find what rows were made of, and nothing negative', () => {
  const rows = [
    { shares: { message: 1, commit: 1 }, sum: 110 },
    { shares: { message: 1, commit: 0.5 }, sum: 60 },
    { shares: { message: 1, commit: 0.01 }, sum: 11 },
  ]
  const { message, commit } = solve(rows)
  expect(message).toBeCloseTo(10)
  expect(commit).toBeCloseTo(100)
  expect(solve(rows.map((row) => ({ ...row, sum: 20 / row.sum }))).commit).toBe(0)
})

describe('a machine', () => {
  function play(processors: number, wakeUs: number) {
    const machine = createMachine(processors)
    const [one, other] = [machine.thread(wakeUs), machine.thread(wakeUs)]
    const ended: string[] = []
    const work = (thread: typeof one, name: string, ms: number) =>
      thread.run(ms * 1000, () => ended.push(`${name} ${machine.nowMs()}`))
    work(one, 'a', 9)
    work(one, 'b', 1)
    work(other, 'c', 2)
    machine.play()
    return { ended, one, other }
  }

  test('lets threads take turns on its processors, each with its works in their order', () => {
    expect(play(1, 0).ended).toEqual(['c 6', 'a 11', 'b 12'])
    expect(play(2, 0).ended).toEqual(['c 2', 'a 9', 'b 10'])
  })

  test('has threads pay for each sleep once', () => {
    const { ended, one, other } = play(2, 1000)
    expect(ended).toEqual(['c 2.5', 'a 9.5', 'b 10.5'])
    expect([one.usedUs(), one.sleeps(), other.usedUs()]).toEqual([11_000, 1, 3000])
  })
})
