import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bench } from '../bench-case.ts'
import { ask } from '../http/ask.ts'
import { findFreePort, measureDirectory, type Place, startBeside, untilSteady } from './beside.ts'
import { SIGNALS, type SensorSamples } from './sensors.ts'
import { type Store, sumValues } from './store.ts'

const LINES_A_REQUEST = 5000
/** Longer than the delays of `writeConfiguration`, after which it compacts. */
const STEADY_MS = 12_000

/** @returns undefined if it is not installed */
export async function startInfluxDb(bench: Bench): Promise<Store | undefined> {
  const place = await startBeside(bench, {
    name: 'InfluxDB',
    command: 'influxd',
    package: 'influxdb',
    healthPath: '/ping',
    listArgs: writeConfiguration,
  })
  if (!place) return undefined
  const { url, directory } = place
  await ask({ method: 'POST', url: `${url}/query?q=${encodeURIComponent('CREATE DATABASE bench')}` })
  const measureBytes = () => measureDirectory(join(directory, 'data'))
  return {
    name: 'InfluxDB',
    async add(samples) {
      for (const one of samples)
        for (const body of writeLines(one))
          await ask({ method: 'POST', url: `${url}/write?db=bench&precision=ms`, body })
    },
    settle: () => untilSteady(() => measureDirectory(directory), STEADY_MS),
    measureBytes,
    makeRequest({ device, signal, fromMs, toMs, bucketMs }) {
      const selected = bucketMs === undefined ? `"${signal}"` : `mean("${signal}")`
      const grouped = bucketMs === undefined ? '' : ` GROUP BY time(${bucketMs}ms) fill(none)`
      const query = `SELECT ${selected} FROM telemetry WHERE "device" = '${device}' AND time >= ${fromMs}ms AND time < ${toMs}ms${grouped}`
      return { method: 'GET', url: `${url}/query?db=bench&epoch=ms&q=${encodeURIComponent(query)}` }
    },
    readAnswer(text) {
      const { results } = JSON.parse(text) as { results: { series?: { values: [number, number][] }[] }[] }
      return sumValues(
        results.flatMap(({ series = [] }) =>
          series.flatMap(({ values }) => values.map(([, value]) => value)),
        ),
      )
    },
  }
}

async function writeConfiguration({ directory, port }: Place): Promise<string[]> {
  const path = join(directory, 'influxdb.conf')
  await writeFile(
    path,
    `reporting-disabled = true
bind-address = "127.0.0.1:${await findFreePort()}"
[meta]
  dir = "${directory}/meta"
[data]
  dir = "${directory}/data"
  wal-dir = "${directory}/wal"
  query-log-enabled = false
  cache-snapshot-write-cold-duration = "2s"
  compact-full-write-cold-duration = "5s"
[http]
  bind-address = "127.0.0.1:${port}"
  log-enabled = false
[monitor]
  store-enabled = false
[logging]
  level = "error"
`,
  )
  return ['-config', path]
}

/** All fields are floats, also the boolean, of which it would make no averages. */
function* writeLines({ device, timesMs, columns }: SensorSamples): Generator<string> {
  for (let start = 0; start < timesMs.length; start += LINES_A_REQUEST) {
    let lines = ''
    for (let row = start; row < Math.min(start + LINES_A_REQUEST, timesMs.length); row++)
      lines += `telemetry,device=${device} ${SIGNALS.map((signal, index) => `${signal}=${columns[index]![row]}`).join()} ${timesMs[row]}\n`
    yield lines
  }
}
