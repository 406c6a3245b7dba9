/** Random operations on the stored samples of two provider clients, for fast-check. */
import fc from 'fast-check'
import type { PackLimits } from '../../../src/timeseries/storage/packed/row-key.ts'
import type { MoveLimits } from '../../../src/timeseries/storage/former/find-end.ts'
import type { SeriesType } from '../../../src/timeseries/storage/series-key.ts'

const SECOND_MS = 1000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Most samples are in these days, counted from the base day. */
export const DAYS = 3

/** In Zurich, clocks are set forward on the first day and back on the second one. */
const baseDays = ['2026-03-29', '2026-10-25', '2026-06-10']

export const owners = ['a', 'b'] as const
type OwnerId = (typeof owners)[number]

export interface Message {
  owner: OwnerId
  type: SeriesType
  time: number
  messageId: bigint
  /** By the name of the series. */
  values: Record<string, unknown>
}

/** The number of statements after which the process is killed. */
interface Killed {
  statements: number
}

export type Operation =
  | { kind: 'store' | 'import'; messages: Message[] }
  /** Is stored a moment after the base day, one value after the other. */
  | { kind: 'run'; run: Run }
  | ({ kind: 'pack'; limits: PackLimits } & Killed)
  | ({ kind: 'move'; limits: MoveLimits } & Killed)
  | { kind: 'deleteOwner'; owner: OwnerId }
  /** @param days days after the base day whose samples expire */
  | ({ kind: 'expire'; days: number } & Killed)

interface Run {
  owner: OwnerId
  from: number
  everyMs: number
  count: number
}

export interface History {
  base: number
  /** Are stored by an earlier version, before all operations. */
  former: Message[]
  operations: Operation[]
}

/** Sums of quarters are exact in any order. */
const anyTame = fc.oneof(
  fc.integer({ min: -4000, max: 4000 }).map((quarters) => quarters / 4),
  fc.constantFrom<unknown>(true, false, '', 'b', 'ä', 'Z', ' =x', { a: [null, 1.5] }, [], ['x']),
)
const anyDouble = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 0, 0.1, 5e-324, 1e300, -1e-300, 1.7976931348623157e308, -1.7976931348623157e308),
)

const anyValues = fc
  .record(
    {
      tame: anyTame,
      other: anyTame,
      double: anyDouble,
      decimal: fc.integer({ min: -5000, max: 5000 }).map((hundredths) => hundredths / 100),
      late: fc.integer({ min: -3, max: 3 }),
    },
    { requiredKeys: [] },
  )
  .filter((values) => Object.keys(values).length > 0)
export const names = ['tame', 'other', 'double', 'decimal', 'late', 'run']

const anyTime = (base: number) =>
  fc.oneof(
    fc.integer({ min: -30, max: DAYS * 24 - 1 }).map((hours) => base + hours * HOUR_MS),
    fc.integer({ min: 0, max: 4 }).map((ms) => base + ms),
    fc.integer({ min: -30, max: 40 }).map((steps) => base + steps * 30 * SECOND_MS),
    fc.integer({ min: 0, max: DAYS * DAY_MS - 1 }).map((ms) => base + ms),
    fc.constantFrom(Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.998Z')),
  )

export const anyMessage = (base: number): fc.Arbitrary<Message> =>
  fc.record({
    owner: fc.constantFrom(...owners),
    type: fc.constantFrom<SeriesType>('telemetry', 'telemetry', 'propertyReported'),
    time: anyTime(base),
    messageId: fc.bigInt({ min: -2n, max: 2n }),
    values: anyValues,
  })

/** The limits are small, so that few messages need several transactions and pieces. */
const anyPackLimits: fc.Arbitrary<PackLimits> = fc.record({
  rows: fc.integer({ min: 1, max: 12 }),
  cells: fc.integer({ min: 1, max: 40 }),
  streams: fc.integer({ min: 1, max: 3 }),
  pieceRows: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(100)),
  pieceCells: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constant(500)),
  merged: fc.record({
    rows: fc.integer({ min: 1, max: 60 }),
    cells: fc.integer({ min: 1, max: 200 }),
    days: fc.integer({ min: 1, max: 9 }),
  }),
  // Usual limits make no rollups of so few values.
  rollups: fc.record({ values: fc.integer({ min: 1, max: 2 }), valuesABucket: fc.constantFrom(0, 0, 1.5) }),
})

const statements = fc.oneof(fc.constant(Infinity), fc.nat({ max: 40 }))

function anyOperation(base: number): fc.Arbitrary<Operation> {
  const kind = <K extends Operation['kind']>(name: K) => fc.constant(name)
  const messages = fc.array(anyMessage(base), { minLength: 1, maxLength: 12 })
  const owner = fc.constantFrom(...owners)
  const run = fc.record({
    owner,
    from: fc.integer({ min: 0, max: 24 }).map((hours) => base + hours * HOUR_MS),
    everyMs: fc.constantFrom(1, 10 * SECOND_MS, 300 * SECOND_MS),
    count: fc.integer({ min: 1, max: 300 }),
  })
  const moveLimits = fc.record({
    samples: fc.integer({ min: 1, max: 5 }),
    bytes: fc.integer({ min: 1, max: 40 }),
  })
  return fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: kind('store'), messages }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('import'), messages }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('run'), run }) },
    { weight: 5, arbitrary: fc.record({ kind: kind('pack'), limits: anyPackLimits, statements }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('move'), limits: moveLimits, statements }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('deleteOwner'), owner }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: kind('expire'), days: fc.nat({ max: DAYS }), statements }),
    },
  )
}

export const anyHistory: fc.Arbitrary<History> = fc.constantFrom(...baseDays).chain((day) => {
  const base = Date.parse(day)
  return fc.record({
    base: fc.constant(base),
    former: fc.array(anyMessage(base).map(dropSignOfZero), { maxLength: 8 }),
    operations: fc.array(anyOperation(base), { minLength: 2, maxLength: 14 }),
  })
})

/** Earlier versions stored no sign of zero. */
export const dropSignOfZero = (message: Message): Message => ({
  ...message,
  values: Object.fromEntries(
    Object.entries(message.values).map(([name, value]) => [name, value === 0 ? 0 : value]),
  ),
})

const wide: PackLimits = {
  rows: 20_000,
  cells: 100_000,
  streams: 2,
  pieceRows: 4000,
  pieceCells: 20_000,
  merged: { rows: 4000, cells: 20_000, days: DAYS },
  rollups: { values: 1, valuesABucket: 0 },
}

/** Has rollups, and pieces of several days that the retention cuts, whatever else is generated. */
export const exampleHistory: History = {
  base: Date.parse(baseDays[0]!),
  former: [],
  operations: [
    storeRun('a', { everyMs: 5 * 60 * SECOND_MS, count: 400 }),
    storeRun('b', { everyMs: 4 * HOUR_MS, count: DAYS * 6 }),
    { kind: 'pack', limits: wide, statements: Infinity },
    { kind: 'expire', days: 1, statements: Infinity },
  ],
}

/** Two pages of packed samples, and late ones between them. */
export const longHistory: History = {
  base: Date.parse(baseDays[0]!),
  former: [],
  operations: [
    storeRun('a', { everyMs: 15 * SECOND_MS, count: 10_300 }),
    { kind: 'pack', limits: wide, statements: Infinity },
    storeRun('a', { everyMs: 400 * SECOND_MS, count: 400 }),
  ],
}

function storeRun(owner: OwnerId, run: Pick<Run, 'everyMs' | 'count'>): Operation {
  return { kind: 'run', run: { owner, from: Date.parse(baseDays[0]!), ...run } }
}
