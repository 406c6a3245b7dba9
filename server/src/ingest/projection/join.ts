/**
 * Bindings with several remote endpoints: a message has the value of one endpoint, and the other values are the last
 * known at its time. These are stored under their provider client or asset, so that a repeat has the same result
 * whenever it arrives.
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import {
  type LastValue,
  listLastValues,
  seriesText,
  type WantedValue,
} from '../../timeseries/query/last-known.ts'
import type { SeriesKey } from '../../timeseries/storage/series-key.ts'
import type { Measurement } from '../read-messages.ts'
import type { Samples } from '../samples.ts'

import { type Run, projectJoins } from './project.ts'
import { addOutputs, type Projected } from './projected.ts'
import { type Input, isJoin, type Plan, seriesType, type Step } from './step.ts'

export type Joining = Projected & { bound: { plan: Plan; run: Run } }

export const isJoining = (one: Projected): one is Joining =>
  one.bound !== null && one.bound.run.waiting !== null

/** Lists measurements that wait for values of other endpoints, ordered by time. */
export const listJoining = (projected: Projected[]): Joining[] =>
  projected.filter(isJoining).toSorted((a, b) => a.measurement.timeMs - b.measurement.timeMs)

/** Returns all samples that joins may produce, so that their series exist before the transaction. */
export function possibleSamples(joining: Joining[]): Samples[] {
  const samples: Samples[] = []
  for (const { measurement, bound } of joining)
    for (const step of stepsAfter(bound.run)) addOutputs(samples, measurement, [{ step, value: 0 }])
  return samples
}

/**
 * Joins values within a transaction and adds the resulting samples. No other transaction joins values of these assets
 * meanwhile.
 */
export async function joinValues(tx: Kysely<Tables>, joining: Joining[]): Promise<void> {
  await lockAssets(tx, joining)
  const stored = await listLastValues(tx, joining.flatMap(wantedValues))
  const recent = new Map<string, LastValue>()
  for (const { measurement, samples, bound } of joining) {
    const { plan, run } = bound
    const { timeMs, message } = measurement
    const { tenantNumber } = message.device
    const record = (key: SeriesKey, value: unknown) => recent.set(seriesText(key), { timeMs, value })
    for (const brought of run.waiting?.values() ?? [])
      for (const [input, value] of brought) record(inputSeries(tenantNumber, input), value)
    const before = run.outputs.length
    projectJoins(plan, run, (input) => {
      const key = inputSeries(tenantNumber, input)
      const [inBatch, inStore] = [recent.get(seriesText(key)), stored(key, lookUpTime(measurement))]
      return (!inBatch || (inStore && inStore.timeMs > inBatch.timeMs) ? inStore : inBatch)?.value
    })
    for (const { step, value } of run.outputs) record(stepSeries(tenantNumber, step), value)
    addOutputs(samples, measurement, run.outputs.slice(before))
  }
}

/**
 * A message without a timestamp sees every value that was stored before it, including values of messages with a later
 * arrival time.
 */
const lookUpTime = ({ isTimedByArrival, timeMs }: Measurement): number =>
  isTimedByArrival ? END_OF_TIME : timeMs
const END_OF_TIME = Date.UTC(9999, 11, 31)

/**
 * Two concurrent messages may each have one of the values; the later one must see the value of the other. Locks are
 * taken in the same order everywhere, to avoid a deadlock.
 */
async function lockAssets(tx: Kysely<Tables>, joining: Joining[]): Promise<void> {
  const steps = joining.flatMap(({ bound: { run } }) => [...stepsAfter(run)])
  const numbers = [...new Set(steps.map(({ assetNumber }) => assetNumber))].toSorted((a, b) => a - b)
  await sql`select pg_advisory_xact_lock(hashtext('gangway join'), number)
    from unnest(${numbers}::int[]) as number`.execute(tx)
}

/** Returns the waiting steps and all their readers. */
function stepsAfter({ waiting }: Run): Set<Step> {
  const steps = new Set<Step>()
  const visit = (step: Step) => {
    if (steps.has(step)) return
    steps.add(step)
    for (const reader of step.readers) visit(reader.step)
  }
  for (const step of waiting?.keys() ?? []) visit(step)
  return steps
}

const wantedValues = ({ measurement, bound: { run } }: Joining): WantedValue[] => {
  const { tenantNumber } = measurement.message.device
  return [...stepsAfter(run)].flatMap((step) =>
    step.inputs
      .filter((input) => isJoin(step) && !run.waiting?.get(step)?.has(input))
      .map((input) => ({ key: inputSeries(tenantNumber, input), timeMs: lookUpTime(measurement) })),
  )
}

/** The component of a client is stored as one signal with the component's name, whose value is the received object. */
export const inputSeries = (tenantNumber: number, input: Input): SeriesKey => ({
  tenantNumber,
  ownerType: input.ownerType,
  ownerId: input.ownerId,
  componentId: input.componentId,
  name: input.endpoint,
  type: seriesType(input.kind),
})

const stepSeries = (tenantNumber: number, step: Step): SeriesKey => ({
  tenantNumber,
  ownerType: 'asset',
  ownerId: step.assetId,
  componentId: step.componentId,
  name: step.name,
  type: seriesType(step.kind),
})
