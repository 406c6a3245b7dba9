/** Creates streams and series, and puts them into the registry. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Owner, SeriesKey, SeriesType } from './series-key.ts'
import {
  createSeriesRegistry,
  findStream,
  rememberStream,
  type SeriesRegistry,
  slotKey,
  type Stream,
} from './series-registry.ts'

/** The series that one message needs in one stream. */
export interface NeededSeries {
  owner: Owner
  type: SeriesType
  /** Empty for the root component. */
  componentId: string
  names: string[]
  /** One value for each name. A name whose value is null needs no series. */
  values: unknown[]
}

/** Building a statement for more streams at once would block the event loop. */
const STREAMS_A_STATEMENT = 500

/**
 * Makes sure that the registry knows every series. It must not run inside the transaction of the samples: if that were
 * rolled back, the registry would hold series that do not exist.
 * @param limit the greatest number of series of one device; assets have no limit, since their models have one
 * @returns what was not created, because it would exceed the limit of its device
 */
export async function ensureSeries<Needed extends NeededSeries>(
  db: Kysely<Tables>,
  registry: SeriesRegistry,
  all: Needed[],
  limit = Infinity,
): Promise<Set<Needed>> {
  const refused = new Set<Needed>()
  const unknown = all.filter((needed) => !isKnown(registry, needed))
  for (const part of splitByStream(unknown)) {
    await loadStreams(db, registry, part)
    const missing = part.filter(
      (needed) => !isKnown(registry, needed) && !refuseFull(registry, needed, refused),
    )
    if (missing.length === 0) continue
    for (const one of await createMissing(db, registry, missing, limit)) refused.add(one)
  }
  return refused
}

function isKnown(
  registry: SeriesRegistry,
  { owner, type, componentId, names, values }: NeededSeries,
): boolean {
  const stream = findStream(registry, owner, type)
  if (!stream) return false
  for (let index = 0; index < names.length; index++)
    if (values[index] !== null && !stream.slots.has(slotKey(componentId, names[index]!))) return false
  return true
}

/** A full device may send new names with every message; it is not looked up again for each of them. */
function refuseFull<Needed extends NeededSeries>(
  registry: SeriesRegistry,
  needed: Needed,
  refused: Set<Needed>,
) {
  const isFull = findStream(registry, needed.owner, needed.type)?.isFull === true
  if (isFull) refused.add(needed)
  return isFull
}

const streamText = ({ owner: { tenantNumber, ownerType, ownerId }, type }: NeededSeries) =>
  `${tenantNumber} ${ownerType} ${type} ${ownerId}`

/** Keeps what concerns one stream together. */
function splitByStream<Needed extends NeededSeries>(all: Needed[]): Needed[][] {
  const byStream = new Map<string, Needed[]>()
  for (const needed of all) {
    const key = streamText(needed)
    const known = byStream.get(key)
    if (known) known.push(needed)
    else byStream.set(key, [needed])
  }
  const streams = [...byStream.values()]
  const parts: Needed[][] = []
  for (let from = 0; from < streams.length; from += STREAMS_A_STATEMENT)
    parts.push(streams.slice(from, from + STREAMS_A_STATEMENT).flat())
  return parts
}

const keyColumns = (all: NeededSeries[]) => {
  const keys = [...new Map(all.map((needed) => [streamText(needed), needed])).values()]
  return sql`unnest(${keys.map(({ owner }) => owner.tenantNumber)}::int[],
    ${keys.map(({ owner }) => owner.ownerType)}::text[], ${keys.map(({ owner }) => owner.ownerId)}::text[],
    ${keys.map(({ type }) => type)}::text[])`
}

interface StreamRow {
  number: number
  tenant_number: number
  owner_type: Owner['ownerType']
  owner_id: string
  type: SeriesType
  series_count: number
  last_hours: (number | null)[]
  slots: [componentId: string, name: string, slot: number][]
}

/** Reads streams with all their series, so that a name that is not in the registry does not exist. */
async function loadStreams(db: Kysely<Tables>, registry: SeriesRegistry, all: NeededSeries[]): Promise<void> {
  const unread = all.filter(({ owner, type }) => findStream(registry, owner, type)?.isFull !== true)
  if (unread.length === 0) return
  const { rows } = await sql<StreamRow>`
    select st.*, (
      select coalesce(json_agg(json_build_array(s.component_id, s.name, s.slot)), '[]') from series s
      where s.stream_number = st.number
    ) as slots
    from ${keyColumns(unread)} as k (tenant_number, owner_type, owner_id, type)
    join streams st using (tenant_number, owner_type, owner_id, type)`.execute(db)
  for (const row of rows) rememberStream(registry, streamKey(row), readStream(row))
}

const streamKey = (row: StreamRow) => ({
  tenantNumber: row.tenant_number,
  ownerType: row.owner_type,
  ownerId: row.owner_id,
  type: row.type,
})

const readStream = ({ number, slots, last_hours: lastHours }: StreamRow): Stream => ({
  number,
  lastHours: lastHours.map((hour) => hour ?? -Infinity),
  slots: new Map(slots.map(([componentId, name, slot]) => [slotKey(componentId, name), slot])),
  isFull: false,
})

/**
 * Creates streams and series under a lock on all streams of their owners, so that every node gives a slot to one series
 * only, and the limit holds across nodes.
 */
async function createMissing<Needed extends NeededSeries>(
  db: Kysely<Tables>,
  registry: SeriesRegistry,
  missing: Needed[],
  limit: number,
): Promise<Needed[]> {
  const { streams, refused } = await db.transaction().execute(async (tx) => {
    // Rows are inserted and locked in the same order everywhere, to avoid a deadlock between two nodes.
    await sql`insert into streams (tenant_number, owner_type, owner_id, type)
      select * from ${keyColumns(missing)} as k (tenant_number, owner_type, owner_id, type)
      where not exists (select from streams st where (st.tenant_number, st.owner_type, st.owner_id, st.type)
        = (k.tenant_number, k.owner_type, k.owner_id, k.type))
      order by 1, 2, 3, 4 on conflict do nothing`.execute(tx)
    await lockOwners(tx, missing)
    const counts = await countSeries(tx, missing)
    const locked: SeriesRegistry = createSeriesRegistry(Infinity)
    await loadStreams(tx, locked, missing)
    const plan = planSeries(locked, counts, missing, limit)
    await insertSeries(tx, plan.created)
    return plan
  })
  for (const [needed, stream] of streams)
    rememberStream(registry, { ...needed.owner, type: needed.type }, stream)
  return refused
}

const ownerText = ({ tenantNumber, ownerType, ownerId }: Owner) => `${tenantNumber} ${ownerType} ${ownerId}`

const isOfOwners = (missing: NeededSeries[]) => sql`(tenant_number, owner_type, owner_id) in (
  select tenant_number, owner_type, owner_id from ${keyColumns(missing)} as k (tenant_number, owner_type, owner_id, type))`

const lockOwners = (tx: Kysely<Tables>, missing: NeededSeries[]) =>
  sql`select from streams where ${isOfOwners(missing)} order by number for update`.execute(tx)

/**
 * Runs after the owners are locked: the statement that waits for a lock does not see streams that were made meanwhile.
 * @returns the number of series of each owner, of both types together
 */
async function countSeries(tx: Kysely<Tables>, missing: NeededSeries[]): Promise<Map<string, number>> {
  const { rows } = await sql<StreamRow>`select * from streams where ${isOfOwners(missing)}`.execute(tx)
  const counts = new Map<string, number>()
  for (const row of rows) {
    const key = ownerText(streamKey(row))
    counts.set(key, (counts.get(key) ?? 0) + row.series_count)
  }
  return counts
}

interface CreatedSeries extends SeriesKey {
  streamNumber: number
  slot: number
}

interface Plan<Needed> {
  created: CreatedSeries[]
  streams: Map<Needed, Stream>
  refused: Needed[]
}

/** Gives slots to new series. What one message needs is created as a whole or not at all. */
function planSeries<Needed extends NeededSeries>(
  locked: SeriesRegistry,
  counts: Map<string, number>,
  missing: Needed[],
  limit: number,
): Plan<Needed> {
  const plan: Plan<Needed> = { created: [], streams: new Map(), refused: [] }
  for (const needed of missing) {
    const { owner, type, componentId } = needed
    const stream = findStream(locked, owner, type)
    if (!stream) throw new Error('a stream was deleted as soon as it was made')
    plan.streams.set(needed, stream)
    const names = listNewNames(stream, needed)
    const count = counts.get(ownerText(owner)) ?? 0
    if (owner.ownerType === 'client' && names.length > 0 && count + names.length > limit) {
      plan.refused.push(needed)
      stream.isFull = count >= limit
      continue
    }
    counts.set(ownerText(owner), count + names.length)
    for (const name of names) {
      const slot = stream.slots.size + 1
      stream.slots.set(slotKey(componentId, name), slot)
      plan.created.push({ ...owner, type, componentId, name, streamNumber: stream.number, slot })
    }
  }
  return plan
}

const listNewNames = ({ slots }: Stream, { componentId, names, values }: NeededSeries): string[] => [
  ...new Set(names.filter((name, index) => values[index] !== null && !slots.has(slotKey(componentId, name)))),
]

async function insertSeries(tx: Kysely<Tables>, created: CreatedSeries[]): Promise<void> {
  if (created.length === 0) return
  const column = <T>(of: (one: CreatedSeries) => T) => created.map(of)
  await sql`
    with made as (
      insert into series (tenant_number, owner_type, owner_id, component_id, name, type, stream_number, slot)
      select * from unnest(${column((one) => one.tenantNumber)}::int[], ${column((one) => one.ownerType)}::text[],
        ${column((one) => one.ownerId)}::text[], ${column((one) => one.componentId)}::text[],
        ${column((one) => one.name)}::text[], ${column((one) => one.type)}::text[],
        ${column((one) => one.streamNumber)}::int[], ${column((one) => one.slot)}::int[])
      returning stream_number
    )
    update streams set series_count = series_count + made.count
    from (select stream_number, count(*)::int as count from made group by 1) made
    where number = made.stream_number`.execute(tx)
}
