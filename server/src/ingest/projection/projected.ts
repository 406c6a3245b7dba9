/** Projects a batch of measurements onto the samples to store. */
import type { Turn } from '../../lib/take-turns.ts'
import type { Measurement } from '../read-messages.ts'
import type { Samples } from '../samples.ts'
import { type PlanContext, getPlans } from './plans.ts'
import { type Failure, type Output, project, type Run } from './project.ts'
import { type Plan, seriesType, type SignalKind, type Step } from './step.ts'

/** The samples of one measurement. */
export interface Projected {
  measurement: Measurement
  /**
   * Samples of the client come first: values that no asset reads or not every reader applied, and values that joins
   * look up.
   */
  samples: Samples[]
  /** Null for a client that no asset reads. */
  bound: { plan: Plan; run: Run } | null
}

export async function projectMeasurements(
  ctx: PlanContext,
  measurements: Measurement[],
  { kind, turn }: { kind: SignalKind; turn: Turn },
): Promise<Projected[]> {
  const plans = await getPlans(
    ctx,
    measurements.map(({ message }) => message.device),
  )
  const projected: Projected[] = []
  for (const [index, measurement] of measurements.entries()) {
    const rest = turn()
    if (rest) await rest
    projected.push(projectOne(measurement, kind, plans[index]))
  }
  return projected
}

function projectOne(measurement: Measurement, kind: SignalKind, plan: Plan | undefined): Projected {
  const { names, values } = measurement
  if (!plan) {
    const own = clientSamples(measurement, kind, names, values)
    return { measurement, samples: [own], bound: null }
  }
  const run = project(plan, kind, measurement)
  const samples = [clientSamples(measurement, kind, run.names, run.values)]
  addOutputs(samples, measurement, run.outputs)
  return { measurement, samples, bound: { plan, run } }
}

export const listFailures = (projected: Projected[]): Failure[] =>
  projected.flatMap(({ bound }) => bound?.run.failures ?? [])

/** Lists the bindings that applied a value. */
export const listSucceeded = (projected: Projected[]): Step[] =>
  projected.flatMap(({ bound }) => bound?.run.outputs.map(({ step }) => step) ?? [])

export const listSamples = (projected: Projected[]): Samples[] => projected.flatMap(({ samples }) => samples)

function clientSamples(
  measurement: Measurement,
  kind: SignalKind,
  names: string[],
  values: unknown[],
): Samples {
  const { id, tenantId, tenantNumber } = measurement.message.device
  return addOrigin(measurement, {
    tenantId,
    owner: { tenantNumber, ownerType: 'client', ownerId: id },
    componentId: '',
    type: seriesType(kind),
    timeMs: measurement.timeMs,
    messageId: measurement.messageId,
    names,
    values,
  })
}

/** Most messages did not wait and name no trace, and their samples keep the same shape. */
function addOrigin({ message: { hasWaited, receivedAtMs, traceparent } }: Timed, samples: Samples): Samples {
  if (hasWaited) samples.receivedAtMs = receivedAtMs
  if (traceparent !== undefined) samples.traceparent = traceparent
  return samples
}

type Timed = Pick<Measurement, 'message' | 'timeMs' | 'messageId'>

/** Keeps the samples of one asset together, by component, since alarms evaluate them as one moment. */
export function addOutputs(samples: Samples[], timed: Timed, outputs: Output[]): void {
  for (const { step, value } of outputs) {
    const { assetId, componentId } = step
    let place = samples.find(
      (one) =>
        one.owner.ownerId === assetId &&
        one.owner.ownerType === 'asset' &&
        one.componentId === componentId &&
        one.type === seriesType(step.kind),
    )
    if (!place) insertBeside(samples, (place = emptySamples(timed, step)))
    // A binding with several endpoints of one message has several outputs: the first one is stored.
    if (place.names.includes(step.name)) continue
    place.names.push(step.name)
    place.values.push(value)
  }
}

function insertBeside(samples: Samples[], place: Samples): void {
  const { ownerType, ownerId } = place.owner
  const last = samples.findLastIndex(
    ({ owner }) => owner.ownerId === ownerId && owner.ownerType === ownerType,
  )
  samples.splice(last < 0 ? samples.length : last + 1, 0, place)
}

function emptySamples(timed: Timed, step: Step): Samples {
  const { tenantId, tenantNumber } = timed.message.device
  return addOrigin(timed, {
    tenantId,
    owner: { tenantNumber, ownerType: 'asset', ownerId: step.assetId },
    componentId: step.componentId,
    type: seriesType(step.kind),
    timeMs: timed.timeMs,
    messageId: timed.messageId,
    names: [],
    values: [],
  })
}
