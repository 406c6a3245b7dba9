import { expect, test } from 'vitest'
import { readLogic } from '../../lib/json-logic.ts'
import { MAX_STEPS, newBudget } from '../../lib/json-logic/budget.ts'
import type { Measurement } from '../read-messages.ts'
import { project } from './project.ts'
import type { Input, Plan, Step } from './step.ts'

const input: Input = {
  name: 'value',
  ownerType: 'client',
  ownerId: 'c',
  componentId: '',
  kind: 'telemetry',
  endpoint: 't',
}

/** Assets that all read the signal `t` of one client. */
function makePlan(assets: number, transform: unknown): Plan {
  const steps = Array.from({ length: assets }, (_, index): Step => ({
    assetNumber: index,
    assetId: `asset-${index}`,
    componentId: '',
    kind: 'telemetry',
    name: 't',
    transform: transform === null ? null : readLogic(transform, 'transform'),
    fits: () => true,
    schema: 'any',
    inputs: [input],
    readers: [],
    lastInput: undefined,
    lastInputMs: 0,
  }))
  const use = { readers: steps.map((step) => ({ step, input })), fields: new Map() }
  return { telemetry: new Map([['t', use]]), property: new Map(), joins: [], assetIds: new Set() }
}

const run = (plan: Plan, value: unknown) =>
  project(plan, 'telemetry', { names: ['t'], values: [value], budget: newBudget() } as unknown as Measurement)

const numbers = Array.from({ length: 10_000 }, (_, index) => index)

test('one message has one budget for all its transforms; values beyond it stay with the client, with a reason', () => {
  const { outputs, failures, names } = run(makePlan(50, { max: { var: 'value' } }), numbers)
  expect(outputs.length).toBeGreaterThan(0)
  expect(outputs.length).toBeLessThan(20)
  expect(failures).toHaveLength(50 - outputs.length)
  expect(failures.at(-1)!.reason).toContain(
    'the transform takes more than the 100000 steps that one message may take',
  )
  expect(names).toEqual(['t'])
})

test('a large value is not stored under any number of assets', () => {
  const { outputs, failures } = run(makePlan(1000, null), 'x'.repeat(500_000))
  expect(outputs).toHaveLength(3)
  expect(failures).toHaveLength(997)
  expect(failures[0]!.reason).toContain('the binding takes more than')
})

test('a number is stored under ten thousand assets', () => {
  expect(run(makePlan(10_000, { '+': [{ var: 'value' }, 1] }), 5).outputs).toHaveLength(10_000)
})

test('a number is stored under as many assets as one message may take steps, and under no more', () => {
  expect(run(makePlan(MAX_STEPS + 1, null), 5).outputs).toHaveLength(MAX_STEPS)
})
