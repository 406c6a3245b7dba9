/** Reads the newest sample of every series of some owners, page by page. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'
import { latestSamples, type Point } from '../../timeseries/query/latest.ts'
import type { SeriesType } from '../../timeseries/storage/series-key.ts'
import { type Update, sampleUpdate } from '../delivery/update.ts'
import type { Fresh, Subscription } from '../state.ts'

const PAGE = 1000

interface SeriesRow {
  number: number
  tenantNumber: number
  ownerId: string
  componentId: string
  name: string
  type: SeriesType
}

export async function* lastValues(
  db: Kysely<Tables>,
  subscription: Pick<Subscription, 'tenantId' | 'timeseriesName'>,
  fresh: Fresh,
): AsyncGenerator<Update[]> {
  let after = 0
  for (;;) {
    const page = await listSeries(db, subscription, { ...fresh, after })
    if (page.length === 0) return
    const { tenantNumber } = page[0]!
    const numbers = page
      .filter(({ ownerId, name }) => !fresh.isKnown(ownerId, name))
      .map(({ number }) => number)
    for await (const latest of latestInParts(db, tenantNumber, numbers)) yield makeUpdates(page, latest)
    if (page.length < PAGE) return
    after = page.at(-1)!.number
  }
}

function makeUpdates(page: SeriesRow[], latest: Map<number, Point>): Update[] {
  return page.flatMap((series) => {
    const point = latest.get(series.number)
    return point ? [sampleUpdate(series, { timeMs: point.time, value: point.value })] : []
  })
}

async function listSeries(
  db: Kysely<Tables>,
  { tenantId, timeseriesName: names }: Pick<Subscription, 'tenantId' | 'timeseriesName'>,
  { owners, after }: Pick<Fresh, 'owners'> & { after: number },
): Promise<SeriesRow[]> {
  const { rows } = await sql<SeriesRow>`
    select s.number, s.tenant_number as "tenantNumber", s.owner_id as "ownerId", s.component_id as "componentId", s.name, s.type
    from unnest(${owners.map((owner) => owner.ownerType)}::text[], ${owners.map((owner) => owner.ownerId)}::text[])
      as o (owner_type, owner_id)
    join tenants t on t.id = ${tenantId}
    join series s on s.tenant_number = t.number and s.owner_type = o.owner_type and s.owner_id = o.owner_id
    where s.number > ${after}::int and ${names ? sql`s.name = any(${names}::text[])` : sql`true`}
    order by s.number limit ${PAGE}`.execute(db)
  return rows
}

/** Reads values that are too large together in two halves, recursively. */
async function* latestInParts(
  db: Kysely<Tables>,
  tenantNumber: number,
  numbers: number[],
): AsyncGenerator<Map<number, Point>> {
  let latest: Map<number, Point> | undefined
  try {
    latest = await latestSamples(db, tenantNumber, numbers)
  } catch (error) {
    if (numbers.length < 2 || !(error instanceof ApiError) || error.code !== 'validation_error') throw error
  }
  if (latest) return yield latest
  const half = numbers.length >> 1
  yield* latestInParts(db, tenantNumber, numbers.slice(0, half))
  yield* latestInParts(db, tenantNumber, numbers.slice(half))
}
