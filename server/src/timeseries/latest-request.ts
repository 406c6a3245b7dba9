/** Which series a request for latest values means, and its answer. [interface: Timeseries query and result] */
import { sql } from 'kysely'
import type { Static } from 'typebox'
import { reachOf } from '../access/require.ts'
import { visibleTo } from '../access/visible-to.ts'
import type { Caller } from '../http/access.ts'
import { validationError } from '../http/errors.ts'
import { latestSamples } from './latest.ts'
import { requireView, tenantNumberOf, type TimeseriesContext } from './owner.ts'
import type { LatestRequest, LatestResult } from './schema.ts'
import type { SeriesType } from './series.ts'

/** Never cut silently: who wants more asks several times. */
const MAX_SERIES = 10_000

/**
 * In the order of the request; a series without samples is left out. `componentId: null` is the root component,
 * `assetId: null` stands for every asset that has such a series and that the caller may view.
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
  await requireView(ctx, caller, named)
  const tenantNumber = await tenantNumberOf(ctx, caller)
  const series = await listWanted(ctx, caller, tenantNumber, wanted)
  if (series.length > MAX_SERIES) throw tooMany()
  const latest = await latestSamples(
    ctx.db,
    tenantNumber,
    series.map(({ number }) => number),
  )
  return {
    items: series.flatMap(({ number, owner_id, component_id, name, type }) => {
      const point = latest.get(number)
      if (!point) return []
      return {
        time: new Date(point.time).toISOString(),
        assetId: owner_id,
        componentId: component_id || null,
        timeseriesName: name,
        timeseriesType: type,
        value: JSON.parse(point.json) as unknown,
      }
    }),
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

interface Row {
  number: number
  owner_id: string
  component_id: string
  name: string
  type: SeriesType
}

async function listWanted(
  ctx: TimeseriesContext,
  caller: Caller,
  tenantNumber: number,
  wanted: Wanted[],
): Promise<Row[]> {
  const reach = await reachOf(ctx, caller, 'provider_client')
  const isVisible = visibleTo(reach, { id: 'c.id', organization: 'c.organization_id' })
  const { rows } = await sql<Row>`
    select s.number, s.owner_id, s.component_id, s.name, s.type
    from unnest(${wanted.map((one) => one.assetId)}::text[], ${wanted.map((one) => one.componentId)}::text[],
      ${wanted.map((one) => one.name)}::text[], ${wanted.map((one) => one.type)}::text[])
      with ordinality as w (asset_id, component_id, name, type, place)
    join series s on s.tenant_number = ${tenantNumber}::int and s.owner_type = 'client'
      and s.component_id = w.component_id and s.name = w.name and s.type = w.type
    join provider_clients c on c.tenant_id = ${caller.tenantId} and c.id = s.owner_id
    where s.owner_id = w.asset_id or (w.asset_id is null and ${isVisible})
    order by w.place, s.owner_id limit ${MAX_SERIES + 1}`.execute(ctx.db)
  return rows
}
