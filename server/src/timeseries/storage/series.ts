import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Owner, SeriesKey } from './series-key.ts'
import { rememberSeries, type SeriesRegistry, seriesNumber } from './series-registry.ts'

export interface Series extends SeriesKey {
  number: number
}

const TRIES = 5
/** Building a statement for more keys at once would block the event loop. */
const KEYS_A_STATEMENT = 500

/**
 * Creates the missing series and puts all of them into the registry. It must not run inside the transaction of the
 * samples: if that were rolled back, the registry would hold numbers of series that do not exist.
 */
export async function ensureSeries(
  db: Kysely<Tables>,
  registry: SeriesRegistry,
  keys: SeriesKey[],
): Promise<void> {
  const missing = keys.filter((key) => seriesNumber(registry, key) === undefined)
  for (let from = 0; from < missing.length; from += KEYS_A_STATEMENT)
    await ensureMissing(db, registry, missing.slice(from, from + KEYS_A_STATEMENT))
}

async function ensureMissing(db: Kysely<Tables>, registry: SeriesRegistry, keys: SeriesKey[]): Promise<void> {
  let missing = keys
  // A series that another node creates at the same moment is neither inserted here nor visible yet; the next try finds it.
  for (let tries = 0; missing.length > 0; tries++) {
    if (tries === TRIES) throw new Error('series vanish as soon as they are made')
    const found = await findSeries(db, missing)
    // Series are looked up first, because an INSERT that conflicts with a row still uses up a number.
    const absent = missing.filter((_key, index) => found[index] === undefined)
    missing.forEach((key, index) => {
      if (found[index] !== undefined) rememberSeries(registry, key, found[index])
    })
    if (absent.length > 0) await insertSeries(db, absent)
    missing = absent
  }
}

const keyColumns = (keys: SeriesKey[]) => sql`unnest(
  ${keys.map((key) => key.tenantNumber)}::int[], ${keys.map((key) => key.ownerType)}::text[],
  ${keys.map((key) => key.ownerId)}::text[], ${keys.map((key) => key.componentId)}::text[],
  ${keys.map((key) => key.name)}::text[], ${keys.map((key) => key.type)}::text[])`

/** The numbers of the series, in the order of the keys; undefined for a series that does not exist. */
export async function findSeries(db: Kysely<Tables>, keys: SeriesKey[]): Promise<(number | undefined)[]> {
  const { rows } = await sql<{ number: number; place: number }>`
    select s.number, k.place::int as place
    from ${keyColumns(keys)} with ordinality as k (tenant_number, owner_type, owner_id, component_id, name, type, place)
    join series s using (tenant_number, owner_type, owner_id, component_id, name, type)`.execute(db)
  const numbers: (number | undefined)[] = keys.map(() => undefined)
  for (const { number, place } of rows) numbers[place - 1] = number
  return numbers
}

/** Rows are inserted in the same order everywhere, to avoid a deadlock between two nodes that create the same series. */
const insertSeries = (db: Kysely<Tables>, keys: SeriesKey[]) =>
  sql`insert into series (tenant_number, owner_type, owner_id, component_id, name, type)
    select distinct * from ${keyColumns(keys)} order by 1, 2, 3, 4, 5, 6 on conflict do nothing`.execute(db)

/** Lists the series of every component and type; the root component and telemetry come first. */
export async function listSeriesNamed(db: Kysely<Tables>, owner: Owner, names: string[]): Promise<Series[]> {
  const rows = await db
    .selectFrom('series')
    .selectAll()
    .where('tenant_number', '=', owner.tenantNumber)
    .where('owner_type', '=', owner.ownerType)
    .where('owner_id', '=', owner.ownerId)
    .where('name', 'in', names)
    .orderBy('component_id')
    .orderBy('type', 'desc')
    .execute()
  return rows.map((row) => ({
    number: row.number,
    tenantNumber: row.tenant_number,
    ownerType: row.owner_type,
    ownerId: row.owner_id,
    componentId: row.component_id,
    name: row.name,
    type: row.type,
  }))
}
