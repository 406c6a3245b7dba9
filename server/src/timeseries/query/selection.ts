/** Selects the samples of a query in SQL: those of one series, within one span, that pass the filter. */
import { type RawBuilder, sql } from 'kysely'
import { selectFormerSamples } from '../storage/former/select-former.ts'
import { encodeBigInts, encodeDoubles, encodeTimes } from '../storage/encode-arrays.ts'
import type { PackedSamples } from '../storage/packed/read-packed.ts'
import type { Series } from '../storage/series.ts'
import { compileWhere, type WhereColumns } from '../where-clause/compile.ts'
import type { Where } from '../where-clause/tree.ts'

export interface Selection {
  series: Series
  /** The model of the asset that has the series; null for a provider client. */
  modelId: string | null
  /** Milliseconds since 1970. The span includes `from` and excludes `to`. */
  from: number
  to: number
  where?: Where
  /** Rollups may stand in the place of samples before this time. */
  rolledUpBeforeMs?: number | undefined
  /** Packed samples of the span, which the statement reads in addition to the rows. */
  packed?: PackedSamples
}

type Expression = RawBuilder<unknown>

export const timestamp = (ms: number): Expression => sql`${new Date(ms).toISOString()}::timestamptz`

/**
 * The statement ends with a condition, so that more of them can follow after `and`.
 * @param columns expressions over time, message_id, number (or null) and other (jsonb, or null)
 */
export function selectSamples(selection: Selection, columns: Expression): Expression {
  const { series, from, to, where, packed } = selection
  const inSpan = sql`time >= ${timestamp(from)} and time < ${timestamp(to)}`
  return sql`select ${columns} from (
      ${selectStored(series, inSpan)}
      ${packed && packed.times.length > 0 ? sql`union all ${selectPacked(packed)}` : sql``}
    ) sample
    where ${where ? compileForBoth(where, selection) : sql`true`}`
}

/** Selects the samples that are not packed. @param series as for `selectRows` */
export const selectStored = (
  series: SeriesPlace & { number: number | Expression },
  condition: Expression,
): Expression => sql`${selectRows(series, condition)} union all ${selectFormerSamples(series, condition)}`

const selectPacked = ({ times, messageIds, numbers, others }: PackedSamples): Expression =>
  sql`select * from unnest(${encodeTimes(times)}::timestamptz[], ${encodeBigInts(messageIds)}::bigint[],
    ${encodeDoubles(numbers)}::float8[], ${others.some((other) => other !== null) ? others : null}::jsonb[])
    as packed (time, message_id, number, other)`

/**
 * The object of a row is not read if the row has a number of the series: its other values may be large.
 * @param series expressions may stand for the numbers, where one statement reads many series
 */
export function selectRows(
  { tenantNumber, streamNumber, slot }: SeriesPlace,
  condition: Expression,
): Expression {
  const number = sql`numbers[${slot}::int]`
  const other = sql`case when ${number} is null then others -> (${slot}::int)::text end`
  return sql`select time, message_id, ${number} as number, ${other} as other from sample_rows
    where tenant_number = ${tenantNumber}::int and stream_number = ${streamNumber}::int and ${condition}
      and (${number} is not null or ${other} is not null)`
}

export interface SeriesPlace {
  tenantNumber: number | Expression
  streamNumber: number | Expression
  slot: number | Expression
}

function compileForBoth(where: Where, { series, modelId }: Selection): Expression {
  const compile = (value: string, valueType: WhereColumns['valueType']) =>
    sql`(${sql.ref(value)} is not null and ${compileWhere(where, whereColumns(series, modelId, { value, valueType }))})`
  return sql`(${compile('number', 'number')} or ${compile('other', 'json')})`
}

function whereColumns(
  series: Series,
  modelId: string | null,
  { value, valueType }: { value: string; valueType: WhereColumns['valueType'] },
): WhereColumns {
  const text = (content: string | null) => sql`${content}::text`
  return {
    time: sql.ref('time'),
    texts: {
      assetid: text(series.ownerId),
      // The root component has no name.
      componentid: text(series.componentId || null),
      timeseries_name: text(series.name),
      timeseries_type: text(series.type),
      modelid: text(modelId),
      messageid: sql`message_id::text`,
    },
    value: sql.ref(value),
    valueType,
  }
}
