/** Selects the samples of a query in SQL: those of one series, within one span, that pass the filter. */
import { type RawBuilder, sql } from 'kysely'
import type { SampleTable } from '../storage/partition-names.ts'
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
}

type Expression = RawBuilder<unknown>

export const timestamp = (ms: number): Expression => sql`${new Date(ms).toISOString()}::timestamptz`

/** @param columns expressions over the columns of the table: time, message_id, value */
export function selectSamples(selection: Selection, table: SampleTable, columns: Expression): Expression {
  const { series, modelId, from, to, where } = selection
  return sql`select ${columns} from ${sql.table(table)}
    where tenant_number = ${series.tenantNumber}::int and series_number = ${series.number}::int
      and time >= ${timestamp(from)} and time < ${timestamp(to)}
      ${where ? sql`and ${compileWhere(where, whereColumns(series, modelId, table))}` : sql``}`
}

function whereColumns(series: Series, modelId: string | null, table: SampleTable): WhereColumns {
  const text = (value: string | null) => sql`${value}::text`
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
    value: sql.ref('value'),
    valueType: table === 'samples' ? 'number' : 'json',
  }
}
