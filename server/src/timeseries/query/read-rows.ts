/** Reads samples of a selection from the database, for computations in this process. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { executePrepared } from '../../database/execute-prepared.ts'
import type { Tables } from '../../database/tables.ts'
import { estimatedSize } from '../storage/estimated-size.ts'
import type { Column } from '../storage/packed/column.ts'
import type { SeriesColumn } from '../storage/packed/read-pieces.ts'
import type { SamplePlace } from '../storage/packed/sample-place.ts'
import { readBigInts, readDoubles } from '../storage/read-arrays.ts'
import { joinSamples } from './join-samples.ts'
import { type Selection, selectSamples, timestamp } from './selection.ts'

export interface ReadRows extends Required<SeriesColumn> {
  /** All samples before this time were read, and no later ones. */
  to: number
}

export interface RowLimits {
  rows: number
  /** Approximate limit for values that are not numbers. */
  bytes: number
}

export const ROW_LIMITS: RowLimits = { rows: 50_000, bytes: 4 * 1024 * 1024 }

/** The kinds of values that an aggregation uses. */
export type WantedValues = 'all' | 'numbers and booleans' | 'numbers and strings'

const isWanted = {
  all: sql`true`,
  'numbers and booleans': sql`(number is not null or jsonb_typeof(other) = 'boolean')`,
  'numbers and strings': sql`(number is not null or jsonb_typeof(other) = 'string')`,
} satisfies Record<WantedValues, RawBuilder<unknown>>

/** Arrays as Base64: the driver receives `bytea` as hexadecimal digits, which take several times as long to decode. */
export interface ReadArrays {
  times: string
  messageIds: string
  numbers: string
  others: (string | null)[] | null
  isCut: boolean
}

/**
 * Samples with the same time stay together, because the next read begins at a time. If there are more of them than the limits,
 * they are read one part after the other.
 */
export async function readRows(
  tx: Kysely<Tables>,
  selection: Selection,
  values: WantedValues,
  limits = ROW_LIMITS,
): Promise<ReadRows> {
  const request = { values, limits }
  const { isCut, ...samples } = await readSamples(tx, selection, request)
  if (!isCut) return { ...samples, to: selection.to }
  const timeMs = samples.times.at(-1)!
  if (timeMs > samples.times[0]!) return { ...samples, to: timeMs }
  const parts = [samples]
  for (let isLast = false; !isLast;) {
    const after = { timeMs, messageId: parts.at(-1)!.messageIds.at(-1)! }
    const part = await readSamples(tx, { ...selection, to: timeMs + 1 }, { ...request, after })
    if (part.times.length > 0) parts.push(part)
    isLast = !part.isCut
  }
  return { ...joinSamples(parts), to: timeMs + 1 }
}

export interface ReadSamples extends Required<SeriesColumn> {
  /** Whether there are more samples. */
  isCut: boolean
}

interface SampleRequest {
  values: WantedValues
  limits: RowLimits
  /** Only later samples are read. */
  after?: SamplePlace | undefined
}

/** @returns the first samples, at least one if there is one */
export async function readSamples(
  tx: Kysely<Tables>,
  selection: Selection,
  request: SampleRequest,
): Promise<ReadSamples> {
  const samples = selectSamples(selection, sql`time, message_id, number, other`)
  const statement = sql<ReadArrays>`${selectArrays(samples, request)}`
  const isUsual = !selection.where && !selection.packed?.times.length
  const { rows } = isUsual
    ? await executePrepared(
        tx,
        `rows-of-series, ${request.values}${request.after ? ', continued' : ''}`,
        statement,
      )
    : await statement.execute(tx)
  return unpackArrays(rows[0])
}

export const unpackArrays = (found: ReadArrays | undefined): ReadSamples => ({
  times: found ? readDoubles(decode(found.times)) : new Float64Array(),
  messageIds: found ? readBigInts(decode(found.messageIds)) : new BigInt64Array(),
  column: found ? divideValues(readDoubles(decode(found.numbers)), found.others) : noColumn,
  isCut: found?.isCut ?? false,
})

const decode = (text: string) => Buffer.from(text, 'base64')

/**
 * Selects `ReadArrays` of the first samples.
 * @param samples a statement with the columns time, message_id, number and other, which ends with a condition
 */
export function selectArrays(
  samples: RawBuilder<unknown>,
  { values, limits, after }: SampleRequest,
): RawBuilder<unknown> {
  // No row is returned without samples: an answer whose first row was read waits for its turn without a limit.
  const order = sql`time, message_id`
  const isBehind =
    after && sql`and (time, message_id) > (${timestamp(after.timeMs)}, ${`${after.messageId}`}::bigint)`
  const size = sql`sum(${estimatedSize('other')}) over (order by ${order} rows between unbounded preceding and 1 preceding)`
  const fits = sql`filter (where bytes_before < ${limits.bytes}::int8)`
  return sql`
    select encode(array_send(array_agg(round(date_part('epoch', time) * 1000)) ${fits}), 'base64') as times,
      encode(array_send(array_agg(message_id) ${fits}), 'base64') as "messageIds",
      encode(array_send(array_agg(coalesce(number, 0)) ${fits}), 'base64') as numbers,
      case when count(other) > 0 then array_to_json(array_agg(other::text) ${fits}) end as others,
      count(*) = ${limits.rows}::int or count(*) > count(*) ${fits} as "isCut"
    from (
      select *, ${values === 'numbers and booleans' ? sql`0` : sql`coalesce(${size}, 0)`} as bytes_before from (
        ${samples} and ${isWanted[values]} ${isBehind ?? sql``}
        order by ${order} limit ${limits.rows}
      ) first order by ${order}
    ) measured having count(*) > 0`
}

/** @param others null at each position that has a number; null if all have one */
function divideValues(numbers: Float64Array, others: (string | null)[] | null): Column {
  const count = numbers.length
  const numberRows = new Uint32Array(count)
  const otherRows: number[] = []
  const kept: string[] = []
  let numberCount = 0
  for (let row = 0; row < count; row++) {
    const other = others?.[row] ?? null
    if (other === null) {
      numberRows[numberCount] = row
      numbers[numberCount++] = numbers[row]!
    } else {
      otherRows.push(row)
      kept.push(other)
    }
  }
  return {
    numberRows: numberRows.subarray(0, numberCount),
    numbers: numbers.subarray(0, numberCount),
    otherRows: Uint32Array.from(otherRows),
    others: kept,
  }
}

const noColumn: Column = divideValues(new Float64Array(), null)
