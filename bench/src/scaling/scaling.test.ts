/** The model reproduces what was measured, and docs/scaling.md has its tables. [docs/scaling#how-right-it-is] */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compareAll, findError, sumCost } from './compare.ts'
import { writeDocument } from './document.ts'
import { namePoint, readFigures } from './figures.ts'
import { fitCosts } from './fit.ts'
import { createMachine } from './machine.ts'

const figures = readFigures()

/** The greatest errors, see `findError`: what docs/scaling.md says about them. */
const DIRECT = { cost: 0.2, p50: 0.5, p99: 5, rate: 1 }
const STREAM = { cost: 0.7, p50: 1.3, p99: 5.5, rate: 1 }

describe.each(compareAll(figures).map((compared) => ({ name: namePoint(compared.measured), ...compared })))(
  '$name',
  ({ measured, modelled }) => {
    const most = measured.replicas === 0 ? DIRECT : STREAM
    test('costs as much processor time as was measured', () => {
      expect(findError(sumCost(measured), sumCost(modelled))).toBeLessThan(most.cost)
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
  expect(writeDocument(text, figures)).toBe(text)
})

test('no cost is negative, and what a message costs by itself is known', () => {
  for (const replicas of [0, 1, 3]) {
    const { gateway, database } = fitCosts(figures, replicas)
    for (const cost of [gateway, database]) {
      expect(cost.message).toBeGreaterThan(0)
      expect(Math.min(cost.batch, cost.commit)).toBeGreaterThanOrEqual(0)
    }
  }
})

test('threads share the processors of a machine, each works in its order', () => {
  const machine = createMachine(1)
  const [one, other] = [machine.thread(), machine.thread()]
  const ended: string[] = []
  const work = (thread: typeof one, name: string, ms: number) =>
    thread.run(ms * 1000, () => ended.push(`${name} ${machine.nowMs()}`))
  work(one, 'a', 5)
  work(one, 'b', 1)
  work(other, 'c', 2)
  machine.play()
  expect(ended).toEqual(['a 5', 'c 7', 'b 8'])
})
