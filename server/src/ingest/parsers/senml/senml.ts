/**
 * Sensor Measurement Lists in JSON. A pack is resolved according to RFC 8428, section 4.6: base values apply to their
 * record and all later ones. The update time `ut` is ignored.
 *
 * The signal name is the resolved name; its sum is `name.sum`. The RFC uses one name for values that differ in their
 * unit (5.1.3, a humidity and a position): a name that has several units in a pack becomes `name:unit` for each of
 * them.
 */
import { parseJson, MAX_NAME_LENGTH } from '../../json-object.ts'
import { UnreadableError } from '../../unreadable.ts'
import { collectReadings, type When } from '../collect-readings.ts'
import { noOptions } from '../no-options.ts'
import { endsPiece, format, type ReadingInPieces } from '../parser.ts'
import { epochTime } from '../read-object.ts'
import { type Bases, checkRecord, type SenmlRecord, VERSION } from './record.ts'

/** Times below this number of seconds are relative to now. [RFC 8428, 4.5.3] */
const FIRST_ABSOLUTE_TIME = 2 ** 28

export const senml = format({
  options: noOptions,
  example: { payload: '[{"bn": "urn:dev:ow:10e2:", "n": "temperature", "u": "Cel", "v": 21.5}]' },
  compile: () => parseSenml,
})

interface Resolved {
  name: string
  unit: string | undefined
  when: When
  value: number | string | boolean | undefined
  sum: number | undefined
}

function* parseSenml(payload: Buffer): ReadingInPieces {
  const pack = parseJson(payload)
  if (!Array.isArray(pack))
    throw new UnreadableError('bad_format', 'A SenML pack must be an array of records.')
  yield
  const resolved = yield* resolve(pack)
  const ambiguous = namesOfSeveralUnits(resolved)
  const { add, readings } = collectReadings()
  for (const [index, { name, unit, when, value, sum }] of resolved.entries()) {
    if (endsPiece(index)) yield
    const signal = unit !== undefined && ambiguous.has(name) ? `${name}:${unit}` : name
    if (value !== undefined) add(signal, value, when, unit)
    if (sum !== undefined) add(`${signal}.sum`, sum, when)
  }
  return readings
}

const baseKeys = ['bn', 'bt', 'bu', 'bv', 'bs', 'bver'] as const

function* resolve(pack: unknown[]): Generator<void, Resolved[]> {
  const bases: Bases = {}
  const resolved: Resolved[] = []
  let packVersion: number | undefined
  for (const [index, record] of pack.entries()) {
    if (endsPiece(index)) yield
    const where = `Record ${index}`
    checkRecord(record, where)
    for (const key of baseKeys) if (record[key] !== undefined) Object.assign(bases, { [key]: record[key] })
    const version: number = bases.bver ?? VERSION
    // RFC 8428, section 4.4: all records of a pack have the same version.
    if (version !== (packVersion ??= version))
      throw new UnreadableError(
        'bad_format',
        `${where} is of version ${version}, and those before it are of version ${packVersion}. Send each version in a pack of its own.`,
      )
    if (isMeasurement(record, bases, where)) resolved.push(resolveRecord(record, bases, where))
  }
  return resolved
}

/**
 * Tells measurements from records that only set base values.
 * @throws UnreadableError for a record without any value
 */
function isMeasurement(record: SenmlRecord, bases: Bases, where: string): boolean {
  const has = (...labels: (keyof SenmlRecord)[]) => labels.some((label) => record[label] !== undefined)
  if (has('v', 'vs', 'vb', 'vd', 's')) return true
  if (has('bn', 'bt', 'bu', 'bv', 'bs', 'bver')) return false
  if (bases.bv !== undefined || bases.bs !== undefined) return true
  throw new UnreadableError('bad_format', `${where} has none of v, vs, vb, vd and s.`)
}

function resolveRecord(record: SenmlRecord, bases: Bases, where: string): Resolved {
  const { bt = 0, bu, bv, bs } = bases
  const text = record.vs ?? record.vb ?? record.vd
  const hasNumber = record.v !== undefined || (bv !== undefined && text === undefined)
  const hasSum = record.s !== undefined || bs !== undefined
  return {
    name: joinName(record, bases, where),
    unit: record.u ?? bu,
    when: readWhen(bt + (record.t ?? 0), where),
    value: hasNumber ? (bv ?? 0) + (record.v ?? 0) : text,
    sum: hasSum ? (bs ?? 0) + (record.s ?? 0) : undefined,
  }
}

function joinName({ n = '' }: SenmlRecord, { bn = '' }: Bases, where: string): string {
  // Checked before concatenation: thousands of records may share a base name as long as the payload.
  const isTooLong = bn.length + n.length > MAX_NAME_LENGTH
  const name = isTooLong ? '' : bn + n
  if (!/^[A-Za-z0-9][A-Za-z0-9\-:./_]*$/.test(name))
    throw new UnreadableError(
      'bad_name',
      `${where}: a SenML name has 1 to ${MAX_NAME_LENGTH} letters, digits and - : . / _, a letter or digit first.`,
    )
  return name
}

function readWhen(seconds: number, where: string): When {
  if (seconds >= FIRST_ABSOLUTE_TIME) return { timeMs: epochTime(seconds * 1000, `${where}: its time`) }
  if (seconds > -FIRST_ABSOLUTE_TIME) return { ageMs: -Math.round(seconds * 1000) }
  throw new UnreadableError('bad_timestamp', `${where}: its time is more than eight years before now.`)
}

function namesOfSeveralUnits(resolved: Resolved[]): Set<string> {
  const units = new Map<string, string>()
  const several = new Set<string>()
  for (const { name, unit } of resolved) {
    if (unit === undefined) continue
    if (!units.has(name)) units.set(name, unit)
    else if (units.get(name) !== unit) several.add(name)
  }
  return several
}
