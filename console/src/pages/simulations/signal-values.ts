import type { Schemas } from '@gangway/client'
import { readValue } from '../firmware/value-text.ts'

export type Signal = Schemas['SimulatedSignal']
export type Generator = Signal['generator']

/** The numbers of each generator; those after `required` may be left out. */
export const generators = {
  constant: { required: [], optional: [] },
  sine: { required: ['amplitude', 'offset', 'periodSeconds'], optional: ['noise'] },
  randomWalk: { required: ['start', 'step'], optional: ['min', 'max'] },
  steps: { required: ['holdSeconds'], optional: [] },
  csv: { required: [], optional: [] },
} as const satisfies Record<Generator, { required: readonly NumberName[]; optional: readonly NumberName[] }>

export type NumberName =
  | 'amplitude'
  | 'offset'
  | 'periodSeconds'
  | 'noise'
  | 'start'
  | 'step'
  | 'min'
  | 'max'
  | 'holdSeconds'

export const numberNames = (generator: Generator): NumberName[] => [
  ...generators[generator].required,
  ...generators[generator].optional,
]

/** A signal as it is edited. What belongs to another generator is kept, and not sent. */
export interface SignalValues {
  name: string
  component: string
  generator: Generator
  /** Of `constant`: a number, `true`, `false`, or a text. */
  value: string
  /** Of `steps`. */
  values: string[]
  resourceId: string
  column: string
  loop: boolean
  numbers: Partial<Record<NumberName, number | null>>
}

export const newSignal: SignalValues = {
  name: '',
  component: '',
  generator: 'sine',
  value: '',
  values: [],
  resourceId: '',
  column: '',
  loop: true,
  numbers: { amplitude: 5, offset: 20, periodSeconds: 600, start: 20, step: 1, holdSeconds: 60 },
}

/** A number or a boolean where it is one, else the text. */
function readSimulated(text: string): number | boolean | string {
  const value = readValue(text)
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string' ? value : text
}

export function writeSignal(signal: SignalValues): Signal {
  const { generator, component, numbers } = signal
  const own = {
    constant: { value: readSimulated(signal.value) },
    steps: { values: signal.values.map(readSimulated) },
    csv: { resourceId: signal.resourceId, column: signal.column, loop: signal.loop },
    sine: {},
    randomWalk: {},
  }[generator]
  const given = numberNames(generator).flatMap((name) => {
    const value = numbers[name] ?? null
    return value === null ? [] : [[name, value] as const]
  })
  return {
    name: signal.name.trim(),
    ...(component.trim() !== '' && { component: component.trim() }),
    generator,
    ...Object.fromEntries(given),
    ...own,
  }
}

/** @returns problems by the field of the signal */
export function checkSignal(signal: SignalValues, words: { required: string; needed: string }) {
  const { generator, numbers } = signal
  const problems: Record<string, string> = {}
  if (signal.name.trim() === '') problems.name = words.required
  for (const name of generators[generator].required)
    if ((numbers[name] ?? null) === null) problems[name] = words.needed
  if (generator === 'constant' && signal.value === '') problems.value = words.required
  if (generator === 'steps' && signal.values.length === 0) problems.values = words.required
  if (generator === 'csv' && signal.resourceId === '') problems.resourceId = words.required
  if (generator === 'csv' && signal.column === '') problems.column = words.required
  return problems
}

const numeric = ['double', 'float', 'integer', 'long']

/** A signal that begins as a telemetry of a model; undefined for values that no generator makes, such as objects. */
export function startSignal({ name, componentId, schema }: ModelSignal): SignalValues | undefined {
  const signal = { ...newSignal, name, component: componentId ?? '' }
  if (typeof schema === 'string' && numeric.includes(schema)) return signal
  if (schema === 'boolean') return { ...signal, generator: 'constant', value: 'true' }
  if (schema === 'string') return { ...signal, generator: 'constant', value: 'on' }
  return undefined
}

interface ModelSignal {
  name: string
  componentId: string | null
  schema?: unknown
}
