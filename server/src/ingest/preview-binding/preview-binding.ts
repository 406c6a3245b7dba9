/** Computes the result of a binding for the last values, without storing anything. [docs/assets#preview] */
import { type BindDraft, readLocalEndpoint, startDraft } from '../../assets/bindings/bind-draft.ts'
import { readBinding } from '../../assets/bindings/bind-explicitly.ts'
import { findInstances } from '../../assets/bindings/instances.ts'
import { requireViewOfInstances } from '../../assets/bindings/require-remotes.ts'
import type { Binding } from '../../assets/bindings/store.ts'
import { formatEndpointId, localEndpointKey } from '../../assets/endpoints.ts'
import { refuse } from '../../assets/models/dtdl/document.ts'
import type { EndpointContent } from '../../assets/models/model-endpoints.ts'
import { getAsset } from '../../assets/records/store.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { formatTimestamp } from '../../http/shapes.ts'
import { newBudget } from '../../lib/json-logic/budget.ts'
import { compileStep } from '../projection/compile-plan.ts'
import { runStep } from '../projection/project.ts'
import { type Input, isJoin, type Step } from '../projection/step.ts'
import { type KnownValue, listKnownValues } from './known-values.ts'
import { previewOutgoing } from './preview-outgoing.ts'
import type { outcomes, PreviewBinding } from './schema.ts'

const PATH = 'binding'

/** @throws not_found, forbidden; validation_error with a path, as binding does */
export async function previewBinding(
  ctx: Context,
  caller: Caller,
  assetId: string,
  { binding: entry, values = {}, outgoingValue }: PreviewBinding,
) {
  const { tenantId } = caller
  const instances = await findInstances(ctx.db, tenantId, { assetId, binding: entry, path: PATH })
  const draft = await startDraft(ctx.db, caller, await getAsset(ctx.db, tenantId, assetId), instances)
  await requireViewOfInstances(draft)
  const { binding, content } = await readDraftBinding(draft, entry, outgoingValue !== undefined)
  if (content.kind === 'telemetry' && outgoingValue !== undefined)
    refuse('outgoingValue', 'is for a property or a command: telemetry only comes in')
  const outgoing = outgoingValue === undefined ? null : previewOutgoing(binding, content, outgoingValue)
  if (content.kind === 'command') return { values: [], ...commandOutcome, outgoing }
  const step = compileStep(binding, content.schema)
  const unknown = Object.keys(values).find((name) => !step.inputs.some((input) => input.name === name))
  if (unknown !== undefined) refuse(`values.${unknown.slice(0, 80)}`, 'is not the name of a remote')
  const wanted = step.inputs.filter(({ name }) => !Object.hasOwn(values, name))
  const known = await listKnownValues(ctx, caller, wanted)
  const used = step.inputs.map((input) => ({
    input,
    ...(Object.hasOwn(values, input.name)
      ? { value: values[input.name], timeMs: null }
      : (known.get(input) ?? { value: null, timeMs: null })),
  }))
  return {
    values: used.map(({ input, value, timeMs }) => ({
      name: input.name,
      endpointId: formatEndpointId({ ...input, instanceId: input.ownerId, name: input.endpoint }),
      value,
      time: timeMs === null ? null : formatTimestamp(new Date(timeMs)),
    })),
    ...run(step, used),
    outgoing,
  }
}

/** @param hasOutgoing whether the request has a value that goes out, without which a command has nothing to show */
async function readDraftBinding(
  draft: BindDraft,
  entry: PreviewBinding['binding'],
  hasOutgoing: boolean,
): Promise<{ binding: Binding; content: EndpointContent }> {
  const local = readLocalEndpoint(draft, entry.localEndpointId, `${PATH}.localEndpointId`)
  if (local.kind === 'command' && !hasOutgoing)
    refuse(`${PATH}.localEndpointId`, 'names a command: only a value that goes out has a preview')
  if (entry.remoteEndpointIds.length === 0)
    refuse(`${PATH}.remoteEndpointIds`, 'must name at least one remote endpoint')
  const made = await readBinding(draft, local, entry, PATH)
  const { number: assetNumber, id: assetId } = draft.asset
  const binding: Binding = { ...made, assetNumber, assetId, error: null, errorAt: null }
  return { binding, content: draft.endpoints.get(localEndpointKey(local))! }
}

interface Used extends KnownValue {
  input: Input
}

interface Outcome {
  outcome: (typeof outcomes)[number]
  result: unknown
  message: string | null
  steps: number
}

const commandOutcome: Outcome = {
  outcome: 'no_value',
  result: null,
  message: 'a command takes no values from a remote',
  steps: 0,
}

function run(step: Step, used: Used[]): Outcome {
  const present = used.filter(({ value }) => value !== null && value !== undefined)
  // Without a transform the result is the newest value; a value from the request counts as newest.
  const newest = present.toSorted((a, b) => (b.timeMs ?? Infinity) - (a.timeMs ?? Infinity)).slice(0, 1)
  const brought = isJoin(step) ? present : newest
  const missing = used.find((one) => !present.includes(one))
  if (brought.length === 0 || (isJoin(step) && missing)) {
    const message = `the remote ${missing!.input.name} has no value yet`
    return { outcome: 'missing_value', result: null, message, steps: 0 }
  }
  const budget = newBudget()
  const { outputs, failures } = runStep(
    step,
    brought.map(({ input, value }) => [input, value]),
    budget,
  )
  const steps = budget.steps - budget.stepsLeft
  const [failure, output] = [failures[0], outputs[0]]
  if (failure) return { outcome: 'failed', result: null, message: failure.reason, steps }
  if (output) return { outcome: 'stored', result: output.value, message: null, steps }
  return {
    outcome: 'no_value',
    result: null,
    message: 'the transform results in null, which is no value',
    steps,
  }
}
