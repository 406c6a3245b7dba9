/** Timeseries: history and latest values. [interface: Platform: timeseries and assets] */
import { Readable } from 'node:stream'
import { user } from '../http/access.ts'
import { answer, route, type Route } from '../http/route.ts'
import { csvResult } from './csv-result.ts'
import { jsonResult } from './json-result.ts'
import { latestValues } from './latest-request.ts'
import { getOwners, type TimeseriesContext } from './owner.ts'
import { listSignals } from './query.ts'
import { queryOf } from './request.ts'
import { LatestRequest, LatestResult, TimeseriesRequest, TimeseriesResult } from './schema.ts'

/** The body names assets and provider clients, so the permission on each of them is checked in the handler. */
const canView = user()

/** A page is made when the one before is on its way: a slow reader keeps none waiting in memory. */
const stream = (pages: AsyncIterable<string>) => Readable.from(pages, { highWaterMark: 1 })

export const timeseriesRoutes = (ctx: TimeseriesContext): Route[] => [
  route({
    method: 'POST',
    url: '/v1/timeseries/get',
    summary: 'Samples or aggregates of a time span; as CSV with `Accept: text/csv`, then without a limit',
    access: canView,
    body: TimeseriesRequest,
    notSupportedYet: ['aggregationTypes', 'resolution', 'maxPoints'],
    response: { 200: TimeseriesResult },
    handler: async ({ body, caller, request }) => {
      const query = queryOf(body)
      const owners = await getOwners(ctx, caller, body.assetId)
      const signals = await listSignals(ctx.db, owners, query.names)
      if (/\btext\/csv\b/i.test(request.headers.accept ?? ''))
        return answer(200, stream(csvResult(ctx.db, signals, query)), {
          'content-type': 'text/csv; charset=utf-8; header=present',
          'content-disposition': 'attachment; filename="timeseries.csv"',
        })
      const json = jsonResult(ctx.db, signals, query, body.aggregationInterval ?? '')
      return answer(200, stream(json), { 'content-type': 'application/json; charset=utf-8' })
    },
  }),
  route({
    method: 'POST',
    url: '/v1/timeseries/get/last',
    summary: 'The newest value of each of many series',
    access: canView,
    body: LatestRequest,
    response: { 200: LatestResult },
    handler: ({ body, caller }) => latestValues(ctx, caller, body),
  }),
]
