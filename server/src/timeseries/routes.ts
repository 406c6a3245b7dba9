/** Timeseries: history and latest values. [docs/telemetry] */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Query } from '../database/queries.ts'
import { user } from '../http/access.ts'
import { ApiError } from '../http/errors.ts'
import { answer, route, type Route } from '../http/route.ts'
import { csvResult } from './export/csv-result.ts'
import { jsonResult } from './export/json-result.ts'
import { listKeptUnder } from './query/bound-series.ts'
import { latestValues } from './query/latest-request.ts'
import { createTurns } from '../lib/take-turns.ts'
import { getOwners, type TimeseriesContext } from './query/owner.ts'
import { listSignals } from './query/query.ts'
import { readQuery } from './query/request.ts'
import { LatestRequest, LatestResult, TimeseriesRequest, TimeseriesResult } from './schema.ts'

/** The body names assets and provider clients, so the permission on each of them is checked in the handler. */
const canView = user()

/** A caller that reads nothing for this long is disconnected: its answer counts among the open queries of its tenant. */
const STALL_MS = 120_000

/**
 * Each page is read only after the previous one was sent, so that a slow caller leaves no page waiting in memory. A
 * failure before the first page is answered as an error.
 */
async function stream(pages: AsyncGenerator<string>, query: Query, { raw }: FastifyReply): Promise<Readable> {
  try {
    const first = await pages.next()
    const readable = Readable.from(startingWith(first, pages), { highWaterMark: 0 })
    readable.once('close', () => query[Symbol.dispose]())
    raw.setTimeout(STALL_MS, () => raw.destroy())
    return readable
  } catch (error) {
    query[Symbol.dispose]()
    throw error
  }
}

/** All answers share the turns, so that forty answers at once block the event loop no longer than one. */
const nextTurn = createTurns()

async function* startingWith(first: IteratorResult<string>, rest: AsyncGenerator<string>) {
  for (let next = first; !next.done; next = await rest.next()) {
    yield next.value
    await nextTurn()
  }
}

const FORMS: Record<string, 'csv' | 'json'> = {
  'text/csv': 'csv',
  'text/*': 'csv',
  'application/json': 'json',
  'application/*': 'json',
  '*/*': 'json',
}

/** Chooses CSV if the header names it at all, since browsers and libraries also accept anything. @throws not_acceptable */
function chooseFormat(accept = '*/*'): 'csv' | 'json' {
  const ranges = accept.split(',').map((range) => range.split(';')[0]!.trim().toLowerCase())
  const forms = ranges.flatMap((range) => FORMS[range] ?? [])
  if (forms.includes('csv')) return 'csv'
  if (forms.length > 0 || accept.trim() === '') return 'json'
  throw new ApiError(
    'not_acceptable',
    `The header Accept names ${JSON.stringify(accept.slice(0, 100))}. This answer comes as application/json or text/csv.`,
  )
}

export const timeseriesRoutes = (ctx: TimeseriesContext): Route[] => [
  route({
    method: 'POST',
    url: '/v1/timeseries/get',
    operationId: 'queryTimeseries',
    summary: 'Samples or aggregates of a time span; as CSV with `Accept: text/csv`, then without a limit',
    access: canView,
    readsOnly: true,
    body: TimeseriesRequest,
    refuses: [406],
    notSupportedYet: ['aggregationTypes', 'resolution', 'maxPoints'],
    synonyms: {
      timeBucket: 'aggregationInterval',
      interval: 'aggregationInterval',
      from: 'searchSpanFrom',
      to: 'searchSpanTo',
      names: 'timeseriesName',
    },
    response: { 200: TimeseriesResult },
    handler: async ({ body, caller, request, reply }) => {
      const form = chooseFormat(request.headers.accept)
      const asked = readQuery(body)
      const owners = await getOwners(ctx, caller, body.assetId)
      const signals = await listSignals(ctx.db, owners, asked.names)
      const { assetId } = body
      const wanted = asked.names.map((name) => ({ assetId, componentId: null, name, type: null }))
      const more = form === 'csv' ? {} : await listKeptUnder(ctx, caller, { wanted, owners })
      const query = ctx.queries.open(caller.tenantId)
      if (form === 'csv')
        return answer(200, await stream(csvResult(query.db, signals, asked), query, reply), {
          'content-type': 'text/csv; charset=utf-8; header=present',
          'content-disposition': 'attachment; filename="timeseries.csv"',
        })
      const json = jsonResult(query.db, signals, asked, {
        intervalText: body.aggregationInterval ?? '',
        more,
      })
      return answer(200, await stream(json, query, reply), {
        'content-type': 'application/json; charset=utf-8',
      })
    },
  }),
  route({
    method: 'POST',
    url: '/v1/timeseries/get/last',
    operationId: 'getLastValues',
    summary: 'The newest value of each of many series',
    access: canView,
    readsOnly: true,
    body: LatestRequest,
    response: { 200: LatestResult },
    handler: ({ body, caller }) => latestValues(ctx, caller, body),
  }),
]
