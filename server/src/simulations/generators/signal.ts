/** The shape of a signal: the fields of all generators side by side. Each generator uses its own fields. */
import Type, { type Static } from 'typebox'
import { type Issue, validationError } from '../../http/errors.ts'
import { Uuid } from '../../http/shapes.ts'

/** Keeps spikes, which multiply a value, within the numbers of JSON. */
const Magnitude = Type.Number({ minimum: -1e15, maximum: 1e15 })
const Size = Type.Number({ minimum: 0, maximum: 1e15 })
const Seconds = Type.Number({ exclusiveMinimum: 0, maximum: 31_622_400 })
const SimulatedValue = Type.Union([Magnitude, Type.Boolean(), Type.String({ maxLength: 1024 })])
export type SimulatedValue = Static<typeof SimulatedValue>

const generators = ['constant', 'sine', 'randomWalk', 'steps', 'csv'] as const

export const Signal = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 256 }),
    component: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    generator: Type.Enum([...generators]),
    value: Type.Optional({ ...SimulatedValue, description: 'constant' }),
    amplitude: Type.Optional({ ...Magnitude, description: 'sine' }),
    offset: Type.Optional({ ...Magnitude, description: 'sine' }),
    periodSeconds: Type.Optional({ ...Seconds, description: 'sine' }),
    noise: Type.Optional({ ...Size, description: 'sine: the largest amount that is added or subtracted' }),
    start: Type.Optional({ ...Magnitude, description: 'randomWalk' }),
    step: Type.Optional({ ...Size, description: 'randomWalk: the longest step' }),
    min: Type.Optional({ ...Magnitude, description: 'randomWalk' }),
    max: Type.Optional({ ...Magnitude, description: 'randomWalk' }),
    values: Type.Optional({
      ...Type.Array(SimulatedValue, { minItems: 1, maxItems: 1000 }),
      description: 'steps: the values one after the other, repeatedly',
    }),
    holdSeconds: Type.Optional({ ...Seconds, description: 'steps: the duration of each value' }),
    resourceId: Type.Optional({
      ...Uuid,
      description: 'csv: a shared resource whose file has a header line',
    }),
    column: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'csv' })),
    loop: Type.Optional(Type.Boolean({ description: 'csv: start again at the end; true if absent' })),
  },
  { title: 'SimulatedSignal' },
)
export type Signal = Static<typeof Signal>

type Field = keyof Signal
const fields: Record<Signal['generator'], { required: Field[]; optional: Field[] }> = {
  constant: { required: ['value'], optional: [] },
  sine: { required: ['amplitude', 'offset', 'periodSeconds'], optional: ['noise'] },
  randomWalk: { required: ['start', 'step'], optional: ['min', 'max'] },
  steps: { required: ['values', 'holdSeconds'], optional: [] },
  csv: { required: ['resourceId', 'column'], optional: ['loop'] },
}

/** @returns the signals with only the fields of their generators @throws validation_error */
export function checkSignals(signals: Signal[]): Signal[] {
  const issues = signals.flatMap((signal, index) => [
    ...findProblems(signal).map((issue) => ({ ...issue, path: `signals.${index}.${issue.path}` })),
    ...findClashes(signal, signals.slice(0, index)).map((message) => ({
      path: `signals.${index}.name`,
      message,
    })),
  ])
  if (issues.length > 0) throw validationError(...issues.slice(0, 20))
  return signals.map((signal) => {
    const { required, optional } = fields[signal.generator]
    const own: Field[] = ['name', 'component', 'generator', ...required, ...optional]
    return Object.fromEntries(Object.entries(signal).filter(([key]) => own.includes(key as Field))) as Signal
  })
}

function findProblems(signal: Signal): Issue[] {
  const missing = fields[signal.generator].required.filter((field) => signal[field] === undefined)
  const { start = 0, min = -Infinity, max = Infinity } = signal
  return [
    ...missing.map((path) => ({ path, message: `is needed for the generator ${signal.generator}` })),
    ...(signal.generator === 'randomWalk' && (start < min || start > max)
      ? [{ path: 'start', message: 'must lie between min and max' }]
      : []),
  ]
}

/** A component is an object in the message, so no signal can have its name. `timestamp` is the time of the message. */
function findClashes({ name, component }: Signal, before: Signal[]): string[] {
  const top = component ?? name
  const isTaken = before.some((other) =>
    component === undefined || other.component === undefined
      ? (other.component ?? other.name) === top
      : other.component === component && other.name === name,
  )
  return [
    ...(top === 'timestamp' ? ['timestamp is the time of the message; name the signal otherwise'] : []),
    ...(isTaken ? ['is given twice'] : []),
  ]
}
