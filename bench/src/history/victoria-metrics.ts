import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench-case.ts'
import { ask } from '../http/ask.ts'
import { measureDirectory, startBeside, untilSteady } from './beside.ts'
import { SIGNALS, type SensorSamples } from './sensors.ts'
import { type Store, sumValues } from './store.ts'

const MERGE_CHECK_MS = 200
/** Parts that were merged are deleted a little later. */
const STEADY_MS = 4000

/** @returns undefined if it is not installed */
export async function startVictoriaMetrics(bench: Bench): Promise<Store | undefined> {
  const place = await startBeside(bench, {
    name: 'VictoriaMetrics',
    command: 'victoria-metrics',
    package: 'victoria-metrics',
    healthPath: '/health',
    listArgs: ({ directory, port }) => [
      `-storageDataPath=${directory}`,
      `-httpListenAddr=127.0.0.1:${port}`,
      '-retentionPeriod=10y',
    ],
  })
  if (!place) return undefined
  const { url, directory } = place
  const get = (path: string) => ask({ method: 'GET', url: url + path })
  const measureBytes = async () =>
    (await measureDirectory(join(directory, 'data'))) + (await measureDirectory(join(directory, 'indexdb')))
  return {
    name: 'VictoriaMetrics',
    async add(samples) {
      for (const one of samples)
        await ask({ method: 'POST', url: `${url}/api/v1/import`, body: writeLines(one) })
    },
    async settle() {
      await get('/internal/force_flush')
      await get('/internal/force_merge')
      do await sleep(MERGE_CHECK_MS)
      while (/^vm_active_force_merges [1-9]/m.test((await get('/metrics')).text))
      await untilSteady(measureBytes, STEADY_MS)
    },
    measureBytes,
    makeRequest({ device, signal, fromMs, toMs, bucketMs }) {
      const selector = `${signal}{device="${device}"}`
      // A range excludes its start and includes its end here; no sample is on either.
      const parameters: Record<string, string | number> =
        bucketMs === undefined
          ? { 'match[]': selector, start: fromMs / 1000, end: toMs / 1000 }
          : {
              query: `avg_over_time(${selector}[${bucketMs / 1000}s])`,
              start: (fromMs + bucketMs) / 1000,
              end: toMs / 1000,
              step: bucketMs / 1000,
              // Nothing here caches answers.
              nocache: 1,
            }
      const path = bucketMs === undefined ? '/api/v1/export' : '/api/v1/query_range'
      return { method: 'GET', url: `${url}${path}?${encode(parameters)}` }
    },
    readAnswer(text) {
      // The export has a line for each block of a series.
      const lines = text.trimEnd().split('\n')
      if (!lines[0]!.includes('"data"'))
        return sumValues(lines.flatMap((line) => (JSON.parse(line) as { values: number[] }).values))
      const { data } = JSON.parse(text) as { data: { result: { values: [number, string][] }[] } }
      return sumValues(data.result.flatMap(({ values }) => values.map(([, value]) => value)))
    },
  }
}

const encode = (parameters: Record<string, string | number>) =>
  new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [name, `${value}`]),
  ).toString()

const writeLines = ({ device, timesMs, columns }: SensorSamples): string =>
  SIGNALS.map(
    (signal, index) =>
      `{"metric":{"__name__":"${signal}","device":"${device}"},"values":[${columns[index]!.join()}],"timestamps":[${timesMs.join()}]}\n`,
  ).join('')
