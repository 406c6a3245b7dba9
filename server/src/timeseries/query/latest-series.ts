/** Finds the series that a request for latest values names. [docs/telemetry#latest-values] */
import { type RawBuilder, sql } from 'kysely'
import { visibleTo } from '../../access/decisions/visible-to.ts'
import { findCallerReach } from '../../access/require.ts'
import type { Caller } from '../../http/access.ts'
import type { OwnerType, SeriesType } from '../storage/series-key.ts'
import type { LatestPlace } from './latest.ts'
import { findNewestOfNamed, type NewestOfSeries, type SignalOfOwners } from './newest-of-named.ts'
import type { TimeseriesContext, ViewedOwner } from './owner.ts'

/** A request for more series is refused; an answer is never cut silently. */
export const MAX_SERIES = 10_000

export interface WantedSeries {
  assetId: string | null
  componentId: string
  name: string
  type: SeriesType
}

export interface SeriesRequest {
  tenantNumber: number
  wanted: WantedSeries[]
  /** The owners by the ids that the request names. */
  owners: Map<string, ViewedOwner[]>
  /** The types of owners that are searched if no id is named. */
  types: OwnerType[]
}

interface FoundSeries {
  ownerId: string
  wanted: WantedSeries
  newest: NewestOfSeries
}

/** Lists the series in the order of the request. */
export async function listWantedSeries(
  ctx: TimeseriesContext,
  caller: Caller,
  request: SeriesRequest,
): Promise<FoundSeries[]> {
  const [named, ofAny] = await Promise.all([readNamed(ctx, request), listOfAny(ctx, caller, request)])
  return request.wanted.flatMap((wanted, place) => {
    if (wanted.assetId === null) return ofAny.get(place) ?? []
    const newest = named[place]
    return newest ? { ownerId: wanted.assetId, wanted, newest } : []
  })
}

/**
 * Reads the series of named owners, in the order of the request. If an asset and a provider client with the same id have the
 * same series, it is that of the asset.
 */
async function readNamed(
  { db }: TimeseriesContext,
  { tenantNumber, wanted, owners }: SeriesRequest,
): Promise<(NewestOfSeries | undefined)[]> {
  const [signals, indices] = [[] as SignalOfOwners[], new Map<string, number>()]
  const addOwner = (ownerType: OwnerType, { assetId, componentId, name, type }: WantedSeries): number => {
    // No text of a request contains the separator.
    const key = `${ownerType}\0${type}\0${componentId}\0${name}`
    let index = indices.get(key)
    if (index === undefined) {
      index = signals.push({ ownerType, ownerIds: [], componentId, name, type }) - 1
      indices.set(key, index)
    }
    signals[index]!.ownerIds.push(assetId!)
    return index
  }
  const candidates = wanted.map((one) =>
    (owners.get(one.assetId ?? '') ?? []).map(({ ownerType }) => addOwner(ownerType, one)),
  )
  const found = await findNewestOfNamed(db, tenantNumber, signals)
  return wanted.map(({ assetId }, place) => {
    const index = candidates[place]!.find((candidate) => found[candidate]!.has(assetId!))
    return index === undefined ? undefined : found[index]!.get(assetId!)
  })
}

interface Row extends LatestPlace {
  place: number
  owner_id: string
}

/** Lists the series of every asset and client that the caller may view, by the place of the signal in the request. */
async function listOfAny(
  ctx: TimeseriesContext,
  caller: Caller,
  request: SeriesRequest,
): Promise<Map<number, FoundSeries[]>> {
  if (request.wanted.every(({ assetId }) => assetId !== null)) return new Map()
  const found = await Promise.all(request.types.map((type) => selectOfAny(ctx, caller, request, type)))
  const { rows } = await sql<Row>`
    select distinct on (place, owner_id) place, number, owner_id, stream_number, slot,
      (select last_hours[slot] from streams where streams.number = stream_number) as hour
    from (${sql.join(found, sql` union all `)}) found
    order by place, owner_id, owner_type limit ${MAX_SERIES + 1}`.execute(ctx.db)
  const byPlace = new Map<number, FoundSeries[]>()
  for (const { place, owner_id: ownerId, ...series } of rows) {
    const one = { ownerId, wanted: request.wanted[place]!, newest: { place: series } }
    const same = byPlace.get(place)
    if (same) same.push(one)
    else byPlace.set(place, [one])
  }
  return byPlace
}

const tables = {
  asset: { table: 'assets', resource: 'asset' },
  client: { table: 'provider_clients', resource: 'provider_client' },
} as const

async function selectOfAny(
  ctx: TimeseriesContext,
  caller: Caller,
  { tenantNumber, wanted }: SeriesRequest,
  ownerType: OwnerType,
): Promise<RawBuilder<unknown>> {
  const { table, resource } = tables[ownerType]
  const reach = await findCallerReach(ctx, caller, resource)
  const any = wanted.flatMap((one, place) => (one.assetId === null ? { ...one, place } : []))
  return sql`select w.place, s.number, s.owner_type, s.owner_id, s.stream_number, s.slot
    from unnest(${any.map((one) => one.place)}::int[], ${any.map((one) => one.componentId)}::text[],
      ${any.map((one) => one.name)}::text[], ${any.map((one) => one.type)}::text[])
      as w (place, component_id, name, type)
    join series s on s.tenant_number = ${tenantNumber}::int and s.owner_type = ${ownerType}
      and s.component_id = w.component_id and s.name = w.name and s.type = w.type
    join ${sql.table(table)} o on o.tenant_id = ${caller.tenantId} and o.id = s.owner_id
    where ${visibleTo(reach, { id: 'o.id', organization: 'o.organization_id' })}`
}
