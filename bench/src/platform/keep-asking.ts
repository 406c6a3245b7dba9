/** Queries of a few dashboards: raw samples, averages and a filter over the last minutes, and the open alarms. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Platform } from './start.ts'

const PAUSE_MS = 500
const SPAN_MS = 10 * 60_000

const variants = [{}, { aggregationType: 'avg', aggregationInterval: 'PT1M' }, { whereClause: 'value > 25' }]

/** @throws if an answer is not a success */
export async function keepAsking(platform: Platform, assetIds: string[], over: AbortSignal): Promise<void> {
  const { url } = platform.api()
  // An access token would expire within the hour.
  const { token } = await platform.api().post<{ token: string }>('/v1/api-tokens', { displayName: 'bench' })
  const ask = async (path: string, body?: object) => {
    const response = await fetch(url + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    })
    const answer = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${answer}`)
  }
  for (let asked = 0; !over.aborted; asked++) {
    await ask('/v1/timeseries/get', {
      assetId: assetIds[asked % assetIds.length],
      timeseriesName: ['temperature'],
      searchSpanFrom: new Date(Date.now() - SPAN_MS).toISOString(),
      searchSpanTo: new Date().toISOString(),
      ...variants[asked % variants.length],
    })
    await ask('/v1/alarms/status')
    await sleep(PAUSE_MS)
  }
}
