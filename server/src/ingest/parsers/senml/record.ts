/** The fields of a SenML record, and their types. [RFC 8428, 4.1, 4.2 and 5] */
import { UnreadableError } from '../../unreadable.ts'

export interface Bases {
  bn?: string
  /** Seconds. */
  bt?: number
  bu?: string
  bv?: number
  bs?: number
  bver?: number
}

export interface SenmlRecord extends Bases {
  n?: string
  u?: string
  v?: number
  vs?: string
  vb?: boolean
  /** Base64url, which is stored as text. */
  vd?: string
  s?: number
  /** Seconds. */
  t?: number
}

const types = new Map([
  ...['bn', 'bu', 'n', 'u', 'vs', 'vd'].map((label) => [label, 'string'] as const),
  ...['bt', 'bv', 'bs', 'bver', 'v', 's', 't', 'ut'].map((label) => [label, 'number'] as const),
  ['vb', 'boolean'] as const,
])

/** The version that RFC 8428 defines, which also applies to records without `bver`. */
export const VERSION = 10

/** @throws UnreadableError */
export function checkRecord(record: unknown, where: string): asserts record is SenmlRecord {
  const refuse = (text: string) => new UnreadableError('bad_format', `${where} ${text}.`)
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    throw refuse('must be an object')
  for (const [label, value] of Object.entries(record)) {
    const type = types.get(label)
    if (type && typeof value !== type) throw refuse(`must have ${label} as a ${type}`)
    if (typeof value === 'number' && type && !Number.isFinite(value))
      throw refuse(`has a ${label} that is too large`)
    // Section 4.4: fields that end with an underscore must be understood.
    if (!type && label.endsWith('_')) throw refuse('has a field that must be understood, and is not')
  }
  const { v, vs, vb, vd, bver = VERSION } = record as SenmlRecord
  if ([v, vs, vb, vd].filter((value) => value !== undefined).length > 1)
    throw refuse('has more than one of v, vs, vb and vd')
  if (!Number.isInteger(bver) || bver < 1) throw refuse('must have bver as a positive whole number')
  if (bver > VERSION) throw refuse(`is of SenML version ${bver}; ${VERSION} is the newest that is understood`)
}
