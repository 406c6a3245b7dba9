/** Runs the values of one message through a plan. */
import { applyTransform } from '../../assets/bindings/transform.ts'
import { formatEndpointId } from '../../assets/endpoints.ts'
import { LogicError } from '../../lib/json-logic.ts'
import { type Budget, charge } from '../../lib/json-logic/budget.ts'
import type { Measurement } from '../read-messages.ts'
import { type Input, isJoin, type Plan, type Reader, type SignalKind, type Step } from './step.ts'
import { measureWeight } from './weight.ts'

/** Results of a message so far. */
export interface Run {
  /**
   * Values to store under the client itself: those that no asset reads or not every reader applied, and those that
   * joins look up.
   */
  names: string[]
  values: unknown[]
  /** Outputs in the order in which they were produced. */
  outputs: Output[]
  failures: Failure[]
  /** Joins, each with the values of its inputs from this message; null where there are none, as in most messages. */
  waiting: Map<Step, Map<Input, unknown>> | null
  /** Budget of the message. */
  budget: Budget
  timeMs: number
}

export interface Output {
  step: Step
  value: unknown
}

/** Reason why a value is not stored under the asset but under the client. */
export interface Failure {
  step: Step
  reason: string
}

/** Maximum size of a value that a step keeps in memory. */
const MAX_KEPT_WEIGHT = 64

/** Cycles are refused when bindings are saved; a cycle that exists all the same ends at this depth. */
const MAX_DEPTH = 64

const startRun = (budget: Budget, timeMs: number): Run => ({
  names: [],
  values: [],
  outputs: [],
  failures: [],
  waiting: null,
  budget,
  timeMs,
})

export function project(plan: Plan, kind: SignalKind, { names, values, budget, timeMs }: Measurement): Run {
  const run = startRun(budget, timeMs)
  const uses = plan[kind]
  for (let index = 0; index < names.length; index++) {
    const name = names[index]!
    const value = values[index]
    const use = value === null ? undefined : uses.get(name)
    let isTaken = use !== undefined && use.readers.length > 0 && deliver(run, use.readers, value, 0)
    // The object of a component may have more fields than are bound.
    if (use && use.fields.size > 0) isTaken = deliverFields(run, use.fields, value) && isTaken
    if (isTaken) continue
    run.names.push(name)
    run.values.push(value)
  }
  return run
}

function deliverFields(run: Run, fields: Map<string, Reader[]>, value: unknown): false {
  if (typeof value !== 'object' || value === null) return false
  for (const [name, readers] of fields) {
    const field = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : null
    if (field !== null) deliver(run, readers, field, 0)
  }
  return false
}

/**
 * Passes the value to each reader independently.
 * @returns whether all readers have applied it
 */
function deliver(run: Run, readers: Reader[], value: unknown, depth: number): boolean {
  let isTaken = true
  const weight = measureWeight(value)
  for (const { step, input } of readers) {
    if (isJoin(step)) {
      run.waiting ??= new Map()
      const brought = run.waiting.get(step)
      if (brought) brought.set(input, value)
      else run.waiting.set(step, new Map([[input, value]]))
      isTaken = false
    } else {
      if (step.transform !== null && weight <= MAX_KEPT_WEIGHT) {
        step.lastInput = value
        step.lastInputMs = run.timeMs
      }
      if (!carryOut(run, step, { value, values: transformInputs(step, value), weight }, depth))
        isTaken = false
    }
  }
  return isTaken
}

/** A single input is also available as `value`. [docs/assets#transforms] */
const transformInputs = (step: Step, value: unknown): Record<string, unknown> | undefined =>
  step.transform ? withoutPrototype({ value, [step.inputs[0]!.name]: value }) : undefined

const withoutPrototype = (values: object): Record<string, unknown> =>
  Object.assign(Object.create(null) as Record<string, unknown>, values)

interface Brought {
  value: unknown
  /** Input of the transform, where the step has one. */
  values: Record<string, unknown> | undefined
  /** The work of checking the value and storing it once more. */
  weight: number
}

function carryOut(run: Run, step: Step, { value, values, weight }: Brought, depth: number): boolean {
  if (depth > MAX_DEPTH) return fail(run, step, 'it reads from itself through others')
  let result = value
  try {
    charge(run.budget, weight)
    if (step.transform) result = applyTransform(step.transform, values!, run.budget)
  } catch (error) {
    if (!(error instanceof LogicError)) throw error
    return fail(run, step, `${step.transform ? 'the transform' : 'the binding'} ${error.message}`)
  }
  // A transform may return no value, in which case nothing is stored under the asset.
  if (result === null || result === undefined) return false
  if (!step.fits(result)) return fail(run, step, `${shown(result)} does not fit the schema ${step.schema}`)
  run.outputs.push({ step, value: result })
  deliver(run, step.readers, result, depth + 1)
  return true
}

function fail(run: Run, step: Step, why: string): false {
  const { assetId: instanceId, componentId, kind, name } = step
  const endpoint = formatEndpointId({ instanceId, componentId, kind, name })
  run.failures.push({ step, reason: `${endpoint}: ${why}` })
  return false
}

/** Shows a value in short form, however large it is. */
function shown(value: unknown): string {
  if (typeof value !== 'string')
    return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : String(value)
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value)
}

/**
 * Runs the steps with several inputs, each after the steps that it reads.
 * @param lastKnown returns the last value of an input that is not in the message
 */
export function projectJoins(
  { joins }: Pick<Plan, 'joins'>,
  run: Run,
  lastKnown: (input: Input) => unknown,
): void {
  for (const step of joins) {
    const brought = run.waiting?.get(step)
    if (!brought) continue
    const values = withoutPrototype({})
    for (const input of step.inputs)
      values[input.name] = brought.has(input) ? brought.get(input) : lastKnown(input)
    // Some inputs have no value yet.
    if (Object.values(values).some((value) => value === undefined)) continue
    const value = values[step.inputs[0]!.name]
    carryOut(run, step, { value, values, weight: measureWeight(Object.values(values)) }, 0)
  }
}

/** Runs one step alone, with the given values of its inputs. */
export function runStep(step: Step, brought: [Input, unknown][], budget: Budget): Run {
  const run = startRun(budget, Date.now())
  for (const [input, value] of brought) deliver(run, [{ step, input }], value, 0)
  projectJoins({ joins: [step] }, run, () => undefined)
  return run
}
