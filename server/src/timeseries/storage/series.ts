import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import { executePrepared } from '../../database/execute-prepared.ts'
import type { Tables } from '../../database/tables.ts'
import { encodeInts, encodeTexts } from './encode-arrays.ts'
import type { Owner, SeriesKey } from './series-key.ts'

export interface Series extends SeriesKey {
  number: number
  streamNumber: number
  slot: number
}

/** Named, since the result of a prepared statement must not change when a later version adds a column. */
const columns = [
  'number',
  'stream_number',
  'slot',
  'tenant_number',
  'owner_type',
  'owner_id',
  'component_id',
  'name',
  'type',
] as const

export type SeriesRow = Pick<Selectable<Tables['series']>, (typeof columns)[number]>

export const readSeries = (row: SeriesRow): Series => ({
  number: row.number,
  streamNumber: row.stream_number,
  slot: row.slot,
  tenantNumber: row.tenant_number,
  ownerType: row.owner_type,
  ownerId: row.owner_id,
  componentId: row.component_id,
  name: row.name,
  type: row.type,
})

/** Lists the series of every component and type; of an owner, the root component and telemetry come first. */
export async function listSeriesNamed(
  db: Kysely<Tables>,
  owners: Owner[],
  names: string[],
): Promise<Series[]> {
  const { rows } = await executePrepared(db, 'series-named', selectSeriesNamed(owners, names))
  return rows.map(readSeries)
}

export const selectSeriesNamed = (owners: Owner[], names: string[]): RawBuilder<SeriesRow> => sql<SeriesRow>`
    select ${sql.join(columns.map((column) => sql.ref(`s.${column}`)))} from unnest((select ${encodeInts(owners.map(({ tenantNumber }) => tenantNumber))}::int[]),
      (select ${encodeTexts(owners.map(({ ownerType }) => ownerType))}::text[]),
      (select ${encodeTexts(owners.map(({ ownerId }) => ownerId))}::text[]))
      as o (tenant_number, owner_type, owner_id)
    join series s using (tenant_number, owner_type, owner_id)
    where s.name = any((select ${encodeTexts(names)}::text[])::text[])
    order by component_id, type desc`

/** Lists series of a tenant by owner, component, name and type. @param after the last series of the previous page */
export async function listSeriesAfter(
  db: Kysely<Tables>,
  tenantNumber: number,
  { after, limit }: { after: SeriesKey | undefined; limit: number },
): Promise<Series[]> {
  const order = ['owner_type', 'owner_id', 'component_id', 'name', 'type'] as const
  let query = db.selectFrom('series').selectAll().where('tenant_number', '=', tenantNumber)
  if (after) {
    const { ownerType, ownerId, componentId, name, type } = after
    query = query.where(sql<boolean>`(${sql.join(order.map((column) => sql.ref(column)))})
      > (${ownerType}, ${ownerId}, ${componentId}, ${name}, ${type})`)
  }
  for (const column of order) query = query.orderBy(column)
  return (await query.limit(limit).execute()).map(readSeries)
}

/** Lists the telemetry series of an asset. */
export async function listAssetTelemetry(
  db: Kysely<Tables>,
  tenantNumber: number,
  assetId: string,
): Promise<Series[]> {
  const rows = await db
    .selectFrom('series')
    .selectAll()
    .where('tenant_number', '=', tenantNumber)
    .where('owner_type', '=', 'asset')
    .where('owner_id', '=', assetId)
    .where('type', '=', 'telemetry')
    .execute()
  return rows.map(readSeries)
}
