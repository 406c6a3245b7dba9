/**
 * Reads and checks the text of a condition, a JSONLogic expression, when an alarm is saved. [docs/alarms#conditions]
 */
import type { ModelContent } from '../../assets/models/resolve.ts'
import type { AlarmSignal } from '../../database/tables.ts'
import { validationError } from '../../http/errors.ts'
import { readLogic } from '../../lib/json-logic.ts'
import { comparisons } from './compile.ts'
import { hasThreshold } from './threshold.ts'

/**
 * @param path of the condition in the request
 * @returns the telemetry signals that its variables name
 * @throws validation_error that names what is wrong, such as unknown signals
 */
export function readCondition(text: string, path: string, contents: ModelContent[]): AlarmSignal[] {
  const source = parse(text, path)
  const { variables, operators } = readLogic(source, path)
  if (![...operators].some((name) => comparisons.has(name)))
    throw validationError({ path, message: `must compare something: ${[...comparisons].join(' ')}` })
  if (variables.length === 0)
    throw validationError({ path, message: 'must read a telemetry signal, as in {"var": "temperature"}' })
  const telemetry = indexTelemetry(contents)
  const signals = variables.map((variable) => ({ variable, ...findSignal(variable, telemetry) }))
  const unknown = signals
    .filter(({ name }) => name === undefined)
    .map(({ variable }) => variable.slice(0, 80))
  if (unknown.length > 0)
    throw validationError({
      path,
      message: `reads what is no telemetry of the model: ${unknown.slice(0, 10).join(', ')}`,
    })
  if (!hasThreshold(source))
    throw validationError({
      path,
      message:
        'must compare a telemetry signal with a threshold, as in {">": [{"var": "temperature"}, 80]}; two different things stand on the two sides',
    })
  return signals as AlarmSignal[]
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw validationError({ path, message: 'must be a JSONLogic expression as JSON text' })
  }
}

/** The names of signals by their component; null for those of the model itself. */
type Telemetry = ReadonlyMap<string | null, ReadonlySet<string>>

/** A condition may name thousands of signals, and a model may have as many. */
function indexTelemetry(contents: ModelContent[]): Telemetry {
  const names = new Map<string | null, Set<string>>()
  for (const { kind, componentId, name } of contents)
    if (kind === 'telemetry') names.set(componentId, (names.get(componentId) ?? new Set()).add(name))
  return names
}

/** A variable is `signal` or `component.signal`; further parts are a path within the value of the signal. */
function findSignal(variable: string, telemetry: Telemetry): Partial<AlarmSignal> {
  const [first = '', second = ''] = variable.split('.')
  if (telemetry.get(null)?.has(first)) return { componentId: '', name: first }
  if (telemetry.get(first)?.has(second)) return { componentId: first, name: second }
  return {}
}
