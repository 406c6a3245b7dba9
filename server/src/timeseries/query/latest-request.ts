/** Finds the series that a request for latest values names, and answers it. [docs/telemetry#latest-values] */
import { type RawBuilder, sql } from 'kysely'
import type { Static } from 'typebox'
import { findCallerReach } from '../../access/require.ts'
import { visibleTo } from '../../access/decisions/visible-to.ts'
import type { Caller } from '../../http/access.ts'
import { validationError } from '../../http/errors.ts'
import { listKeptUnder } from './bound-series.ts'
import { type LatestPlace, latestOfPlaces } from './latest.ts'
import { listOwners, listOwnerTypes, type TimeseriesContext, type ViewedOwner } from './owner.ts'
import { createTimeWriter } from './time-writer.ts'
import type { LatestRequest, LatestResult } from '../schema.ts'
import { encodeInts, encodeTexts } from '../storage/encode-arrays.ts'
import type { OwnerType, SeriesType } from '../storage/series-key.ts'

/** A request for more series is refused; an answer is never cut silently. */
export const MAX_SERIES = 10_000

/**
 * The values follow the order of the request; a series without samples is left out. `componentId: null` is the root
 * component, `assetId: null` stands for every asset that has such a series and that the caller may view.
 * @throws not_found for an unknown asset; forbidden; validation_error for more than 10,000 series
 */
export async function latestValues(
  ctx: TimeseriesContext,
  caller: Caller,
  { items }: Static<typeof LatestRequest>,
): Promise<Static<typeof LatestResult>> {
  const wanted = items.flatMap(({ assetId, componentId, timeseries }) =>
    timeseries.map(({ name, type }) => ({ assetId, componentId: componentId ?? '', name, type })),
  )
  if (wanted.length > MAX_SERIES) throw tooMany()
  const named = items.flatMap(({ assetId }) => assetId ?? [])
  const types = await listOwnerTypes(caller)
  const { tenantNumber } = caller
  const owners = await listOwners(ctx, caller, named)
  using query = ctx.queries.open(caller.tenantId)
  const request = { tenantNumber, wanted, owners, types }
  const series = await listWanted({ ...ctx, db: query.db }, caller, request)
  if (series.length > MAX_SERIES) throw tooMany()
  const places = [...new Map(series.map((one) => [one.number, one])).values()]
  const latest = await latestOfPlaces(query.db, tenantNumber, places)
  const writeTime = createTimeWriter()
  return {
    items: series.flatMap(({ number, owner_id, component_id, name, type }) => {
      const point = latest.get(number)
      if (!point) return []
      return {
        time: writeTime(point.time),
        assetId: owner_id,
        componentId: component_id || null,
        timeseriesName: name,
        timeseriesType: type,
        value: point.value,
      }
    }),
    ...(await listKeptUnder({ ...ctx, db: query.db }, caller, {
      wanted: wanted.flatMap(({ assetId, ...one }) => (assetId === null ? [] : { ...one, assetId })),
      owners: [...owners.values()].flat(),
    })),
  }
}

const tooMany = () =>
  validationError({
    path: 'items',
    message: `asks for more than ${MAX_SERIES} series; ask for them in several requests`,
  })

interface Wanted {
  assetId: string | null
  componentId: string
  name: string
  type: SeriesType
}

interface Row extends LatestPlace {
  owner_id: string
  component_id: string
  name: string
  type: SeriesType
}

interface Request {
  tenantNumber: number
  wanted: Wanted[]
  /** The owners by the ids that the request names. */
  owners: Map<string, ViewedOwner[]>
  /** The types of owners that are searched if no id is named. */
  types: OwnerType[]
}

/** If an asset and a provider client with the same id have the same series, the asset's series is listed. */
async function listWanted(ctx: TimeseriesContext, caller: Caller, request: Request): Promise<Row[]> {
  const found = [ofNamed(request)]
  if (request.wanted.some(({ assetId }) => assetId === null))
    for (const type of request.types) found.push(await ofAny(ctx, caller, request, type))
  const { rows } = await sql<Row>`
    select distinct on (place, owner_id) number, owner_id, component_id, name, type, stream_number, slot,
      (select last_hours[slot] from streams where streams.number = stream_number) as hour
    from (${sql.join(found, sql` union all `)}) found
    order by place, owner_id, owner_type limit ${MAX_SERIES + 1}`.execute(ctx.db)
  return rows
}

const columns = sql`w.place, s.number, s.owner_type, s.owner_id, s.component_id, s.name, s.type, s.stream_number, s.slot`

function ofNamed({ tenantNumber, wanted, owners }: Request): RawBuilder<unknown> {
  const named = wanted.flatMap(({ assetId, componentId, name, type }, place) =>
    (owners.get(assetId ?? '') ?? []).map(({ ownerType, ownerId }) => ({
      componentId,
      name,
      type,
      place,
      ownerType,
      ownerId,
    })),
  )
  const texts = (of: (one: (typeof named)[number]) => string) => encodeTexts(named.map(of))
  return sql`select ${columns}
    from unnest(${encodeInts(named.map((one) => one.place))}::int[], ${texts((one) => one.ownerType)}::text[],
      ${texts((one) => one.ownerId)}::text[], ${texts((one) => one.componentId)}::text[],
      ${texts((one) => one.name)}::text[], ${texts((one) => one.type)}::text[])
      as w (place, owner_type, owner_id, component_id, name, type)
    join series s using (owner_type, owner_id, component_id, name, type)
    where s.tenant_number = ${tenantNumber}::int`
}

const tables = {
  asset: { table: 'assets', resource: 'asset' },
  client: { table: 'provider_clients', resource: 'provider_client' },
} as const

async function ofAny(
  ctx: TimeseriesContext,
  caller: Caller,
  { tenantNumber, wanted }: Request,
  ownerType: OwnerType,
): Promise<RawBuilder<unknown>> {
  const { table, resource } = tables[ownerType]
  const reach = await findCallerReach(ctx, caller, resource)
  const any = wanted.flatMap((one, place) => (one.assetId === null ? { ...one, place } : []))
  return sql`select ${columns}
    from unnest(${any.map((one) => one.place)}::int[], ${any.map((one) => one.componentId)}::text[],
      ${any.map((one) => one.name)}::text[], ${any.map((one) => one.type)}::text[])
      as w (place, component_id, name, type)
    join series s on s.tenant_number = ${tenantNumber}::int and s.owner_type = ${ownerType}
      and s.component_id = w.component_id and s.name = w.name and s.type = w.type
    join ${sql.table(table)} o on o.tenant_id = ${caller.tenantId} and o.id = s.owner_id
    where ${visibleTo(reach, { id: 'o.id', organization: 'o.organization_id' })}`
}
