/** Measures the newest values of a thousand assets in one request. */
import type { Bench } from '../bench-case.ts'
import { ask, type HttpRequest } from '../http/ask.ts'
import type { Finding } from '../measure/finding.ts'
import { median } from '../measure/statistics.ts'
import { insertBoundAssets } from '../platform/bound-assets.ts'
import { createHistoryWriter } from '../platform/history-writer.ts'
import type { Platform } from '../platform/start.ts'
import { createSensors, INTERVAL_MS } from './sensors.ts'

const ASSETS = 1000
/** Samples of each asset. */
const SAMPLES = 60
const ROUNDS = 40
const WARM_UP_ROUNDS = 10
const MAX_MS = 15

export interface LatestAssets {
  /** Sent until now. */
  sending: string[]
  /** Sent a closed day only. */
  silent: string[]
}

/** @param closedDayMs the start of a day that is packed after this */
export async function insertLatestAssets(platform: Platform, closedDayMs: number): Promise<LatestAssets> {
  const write = await createHistoryWriter(platform, 'asset')
  const insert = async (name: string, fromMs: number) => {
    const devices = Array.from({ length: ASSETS }, (_, index) => ({ id: `${index}`, key: '' }))
    await insertBoundAssets(platform, name, devices)
    const ids = devices.map(({ id }) => `${name}-${id}`)
    await write(createSensors(ids).map((sensor) => sensor.read(fromMs, SAMPLES)))
    return ids
  }
  return {
    sending: await insert('Sending', Date.now() - SAMPLES * INTERVAL_MS),
    silent: await insert('Silent', closedDayMs),
  }
}

interface Latest {
  platform: Platform
  token: string
  assets: LatestAssets
}

export async function measureLatest(bench: Bench, { platform, token, assets }: Latest): Promise<Finding[]> {
  const timeseries = [{ name: 'temperature', type: 'telemetry' }]
  const makeRequest = (assetIds: (string | null)[]): HttpRequest => ({
    method: 'POST',
    url: `${platform.api().url}/v1/timeseries/get/last`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      items: assetIds.map((assetId) => ({ assetId, componentId: null, timeseries })),
    }),
  })
  const variants = [
    { name: 'that are sending', request: makeRequest(assets.sending) },
    { name: 'whose last values are packed', request: makeRequest(assets.silent) },
  ]
  const findings: Finding[] = []
  for (const { name, request } of variants) {
    const millis: number[] = []
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      const { text, ms } = await ask(request)
      const count = (JSON.parse(text) as { items: unknown[] }).items.length
      if (count !== ASSETS) throw new Error(`${count} of ${ASSETS} assets ${name} have a last value`)
      if (round >= 0) millis.push(ms)
    }
    const measure = `latest value of ${ASSETS.toLocaleString('en')} assets ${name}, p50`
    bench.progress(`${measure}: ${median(millis).toFixed(1)} ms`)
    findings.push({ measure, unit: 'ms', value: median(millis), goal: { valueAtMost: MAX_MS } })
  }
  return findings
}
