/** Compiles bindings to plans. */
import type { Binding, InstanceType, Remote } from '../../assets/bindings/store.ts'
import { localEndpointKey } from '../../assets/endpoints.ts'
import type { DataSchema } from '../../assets/models/dtdl/model.ts'
import { fitsSchema } from '../../assets/models/fits-schema.ts'
import { readLogic } from '../../lib/json-logic.ts'
import {
  type Input,
  isJoin,
  type Plan,
  type Reader,
  type SignalKind,
  type SignalUse,
  type Step,
} from './step.ts'

/** The bindings and schemas of a tenant that the plans of some of its clients need. */
export interface BoundAssets {
  bindings: Binding[]
  /** Schema of a local endpoint; undefined where the model no longer has the endpoint. */
  findSchema(binding: Binding): DataSchema | undefined
}

/** Readers by the instance that they read. */
export type StepGraph = Map<string, Reader[]>

const instanceKey = (type: InstanceType, id: string) => `${type} ${id}`

/** Compiles every binding once, and links it with the bindings that read its endpoint. */
export function linkSteps({ bindings, findSchema }: BoundAssets): StepGraph {
  const graph: StepGraph = new Map()
  const steps = bindings.map((binding) => compileStep(binding, findSchema(binding)))
  for (const step of steps)
    for (const input of step.inputs) {
      const key = instanceKey(input.ownerType, input.ownerId)
      graph.set(key, [...(graph.get(key) ?? []), { step, input }])
    }
  for (const step of steps)
    step.readers = (graph.get(instanceKey('asset', step.assetId)) ?? []).filter(({ input }) =>
      reads(input, step),
    )
  return graph
}

const reads = (input: Input, step: Step) =>
  input.kind === step.kind && input.componentId === step.componentId && input.endpoint === step.name

export const compileStep = (binding: Binding, schema: DataSchema | undefined): Step => ({
  assetNumber: binding.assetNumber,
  assetId: binding.assetId,
  componentId: binding.componentId,
  // Plans are made only from bindings of these kinds.
  kind: binding.kind as SignalKind,
  name: binding.name,
  // The transform was checked when it was saved.
  transform: binding.transform === null ? null : readLogic(binding.transform, 'transform'),
  fits: schema ? (value) => fitsSchema(schema, value) : () => true,
  schema: schema?.type ?? 'any',
  inputs: binding.remotes.map(makeInput),
  readers: [],
  lastInput: undefined,
  lastInputMs: 0,
})

const makeInput = (remote: Remote): Input => ({
  name: remote.remoteName,
  ownerType: remote.instanceType,
  ownerId: remote.instanceId,
  componentId: remote.componentId,
  kind: remote.kind as SignalKind,
  endpoint: remote.name,
})

/** @returns undefined for a client that no asset reads */
export function compilePlan(graph: StepGraph, clientId: string): Plan | undefined {
  const readers = graph.get(instanceKey('client', clientId))
  if (!readers) return undefined
  const steps = inOrder(readers.map(({ step }) => step))
  const of = (kind: Step['kind']) => groupReaders(readers.filter(({ input }) => input.kind === kind))
  return {
    telemetry: of('telemetry'),
    property: of('property'),
    joins: steps.filter(isJoin),
    assetIds: new Set(steps.map(({ assetId }) => assetId)),
  }
}

function groupReaders(readers: Reader[]): Map<string, SignalUse> {
  const uses = new Map<string, SignalUse>()
  for (const reader of readers) {
    const { componentId, endpoint } = reader.input
    const signal = componentId || endpoint
    const use = uses.get(signal) ?? { readers: [], fields: new Map<string, Reader[]>() }
    uses.set(signal, use)
    if (componentId) use.fields.set(endpoint, [...(use.fields.get(endpoint) ?? []), reader])
    else use.readers.push(reader)
  }
  return uses
}

/**
 * Returns the steps and all their readers, each after the steps that it reads. Cycles are refused when bindings are
 * saved; a cycle that exists all the same is cut here.
 */
function inOrder(first: Step[]): Step[] {
  const seen = new Set<string>()
  const backwards: Step[] = []
  const visit = (step: Step) => {
    const key = `${step.assetId}/${localEndpointKey(step)}`
    if (seen.has(key)) return
    seen.add(key)
    for (const reader of step.readers) visit(reader.step)
    backwards.push(step)
  }
  first.forEach(visit)
  return backwards.toReversed()
}
