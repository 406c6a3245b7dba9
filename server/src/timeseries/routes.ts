/** Timeseries: history and latest values. [docs/telemetry] */
import type { FastifyReply } from 'fastify'
import { createGate, type Gate } from '../database/fair-gate.ts'
import { anySignal, createPatience, type Query } from '../database/queries.ts'
import { type Caller, user } from '../http/access.ts'
import { ApiError } from '../http/errors.ts'
import { answer, route, type Route } from '../http/route.ts'
import { answerParts } from './export/answer-parts.ts'
import { csvResult } from './export/csv-result.ts'
import { chooseFormat, type Format, formatHeaders } from './export/format.ts'
import { jsonResult } from './export/json-result.ts'
import { parquetResult } from './export/parquet/parquet-result.ts'
import { listKeptUnder } from './query/bound-series.ts'
import { findRequested } from './query/find-requested.ts'
import { latestValues } from './query/latest-request.ts'
import {
  findViewedOwners,
  type FindingOwners,
  getOwners,
  listOwners,
  listOwnerTypes,
  type TimeseriesContext,
  type ViewedOwner,
} from './query/owner.ts'
import { isRolledUp, listItems, listSignals, type RequestedQuery } from './query/query.ts'
import { readQuery } from './query/request.ts'
import { LatestRequest, LatestResult, TimeseriesRequest, TimeseriesResult } from './schema.ts'

/** The body names assets and provider clients, so the permission on each of them is checked in the handler. */
const canView = user()

interface RequestedOwners {
  assetId?: string
  assetIds?: string[]
  format: Format
  finding: FindingOwners
}

/**
 * Finds the owners that a request names, those with the same id together. Of several ids, those that the caller may not
 * view are named in the answer; CSV and Parquet have no place for that, and refuse them.
 * @throws not_found, forbidden
 */
async function readOwners(
  ctx: TimeseriesContext,
  caller: Caller,
  { assetId, assetIds = [], format, finding }: RequestedOwners,
): Promise<{ owners: ViewedOwner[][]; missing?: { missing: string[] } }> {
  if (assetId !== undefined) return { owners: [await getOwners(ctx, caller, assetId, finding)] }
  await listOwnerTypes(caller)
  if (format !== 'json') return { owners: [...(await listOwners(ctx, caller, assetIds, finding)).values()] }
  const { owners, refusals } = await findViewedOwners(ctx, caller, assetIds, finding)
  return { owners: [...owners.values()], missing: { missing: [...refusals.keys()] } }
}

/** Lists the fields after the items. */
async function readEnding(
  ctx: TimeseriesContext,
  caller: Caller,
  {
    requested,
    owners,
    mayBeBound,
  }: { requested: RequestedQuery; owners: ViewedOwner[]; mayBeBound: boolean },
) {
  const wanted = [...new Set(owners.map(({ ownerId }) => ownerId))].flatMap((assetId) =>
    requested.names.map((name) => ({ assetId, componentId: null, name, type: null })),
  )
  return {
    aggregation: requested.aggregations.map(({ type }) => type).join(','),
    time_bucket: requested.intervalText,
    ...(isRolledUp(requested) && { samplesFrom: new Date(requested.rolledUpBeforeMs!).toISOString() }),
    ...(mayBeBound && (await listKeptUnder(ctx, caller, { wanted, owners }))),
  }
}

/**
 * Opens a query that may have to wait at a gate. It counts among the open queries of its tenant while it waits. It ends when
 * the caller closes the connection.
 * @throws rate_limited
 */
async function openQuery(
  { queries }: Pick<TimeseriesContext, 'queries'>,
  { tenantId }: Caller,
  { raw, gate }: { raw: FastifyReply['raw']; gate: Gate | undefined },
): Promise<{ db: Query['db']; end(): void }> {
  const left = new AbortController()
  raw.once('close', () => left.abort(callerLeft()))
  const query = queries.open(tenantId, undefined, left.signal)
  const close = () => query[Symbol.dispose]()
  if (!gate) return { db: query.db, end: close }
  try {
    const leave = await gate.enter(tenantId, anySignal(left.signal, createPatience()))
    const end = () => {
      close()
      leave()
    }
    return { db: query.db, end }
  } catch (error) {
    close()
    throw error
  }
}

const callerLeft = () =>
  new ApiError('request_timeout', 'The caller closed the connection before the answer.')

export function timeseriesRoutes(ctx: TimeseriesContext): Route[] {
  // A group of rows in the making is much larger than a page.
  const parquetGate = createGate({ max: 4, maxPerTenant: 2 })
  // The numbers of a median are in memory until its bucket ends, 48 MiB at most.
  const medianGate = createGate({ max: 4, maxPerTenant: 1 })
  return [
    route({
      method: 'POST',
      url: '/v1/timeseries/get',
      operationId: 'queryTimeseries',
      summary:
        'Samples or aggregates of a time span; as CSV with `Accept: text/csv` and as Parquet with `Accept: application/vnd.apache.parquet`, then without a limit',
      access: canView,
      readsOnly: true,
      forDashboards: true,
      body: TimeseriesRequest,
      refuses: [406],
      synonyms: {
        timeBucket: 'aggregationInterval',
        interval: 'aggregationInterval',
        from: 'searchSpanFrom',
        to: 'searchSpanTo',
        names: 'timeseriesName',
      },
      response: { 200: TimeseriesResult },
      handler: async ({ body, caller, request, reply }) => {
        const format = chooseFormat(request.headers.accept)
        const read = readQuery(body)
        const ids = body.assetIds ?? [body.assetId!]
        const { names } = read
        const finding = findRequested(ctx, caller, { ids, names })
        const [{ owners, missing }, { series, mayBeBound, rolledUpBeforeMs }] = await Promise.all([
          readOwners(ctx, caller, { ...body, format, finding }),
          finding,
        ])
        const requested = rolledUpBeforeMs === undefined ? read : readQuery(body, rolledUpBeforeMs)
        const items = listItems(listSignals(owners, names, series), requested)
        const ending =
          format === 'json'
            ? await readEnding(ctx, caller, { requested, owners: owners.flat(), mayBeBound })
            : {}
        const hasMedian = requested.aggregations.some(({ type }) => type === 'median')
        const { db, end } = await openQuery(ctx, caller, {
          raw: reply.raw,
          gate: hasMedian ? medianGate : undefined,
        })
        const pages = {
          json: () => jsonResult(db, items, { ...ending, ...missing }),
          csv: () => csvResult(db, items),
          parquet: () => parquetResult(db, items, () => parquetGate.enter(caller.tenantId)),
        }[format]()
        return answer(200, await answerParts(pages, end, reply), formatHeaders[format])
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
}
