/** Answers requests for latest values. [docs/telemetry#latest-values] */
import type { Static } from 'typebox'
import type { Caller } from '../../http/access.ts'
import { validationError } from '../../http/errors.ts'
import { listKeptUnder } from './bound-series.ts'
import { latestOfPlaces } from './latest.ts'
import { listWantedSeries, MAX_SERIES } from './latest-series.ts'
import { listOwners, listOwnerTypes, type TimeseriesContext } from './owner.ts'
import { createTimeWriter } from './time-writer.ts'
import type { LatestRequest, LatestResult } from '../schema.ts'

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
  const series = await listWantedSeries({ ...ctx, db: query.db }, caller, request)
  if (series.length > MAX_SERIES) throw tooMany()
  const places = new Map(series.flatMap(({ newest: { place } }) => (place ? [[place.number, place]] : [])))
  const latest = await latestOfPlaces(query.db, tenantNumber, [...places.values()])
  const writeTime = createTimeWriter()
  return {
    items: series.flatMap(({ ownerId, wanted: { componentId, name, type }, newest }) => {
      const point = newest.point ?? latest.get(newest.place.number)
      if (!point) return []
      return {
        time: writeTime(point.time),
        assetId: ownerId,
        componentId: componentId || null,
        timeseriesName: name,
        timeseriesType: type,
        value: point.value,
      }
    }),
    ...(await listKeptUnder({ ...ctx, db: query.db }, caller, {
      wanted: wanted.filter((one): one is typeof one & { assetId: string } => one.assetId !== null),
      owners: [...owners.values()].flat(),
    })),
  }
}

const tooMany = () =>
  validationError({
    path: 'items',
    message: `asks for more than ${MAX_SERIES} series; ask for them in several requests`,
  })
