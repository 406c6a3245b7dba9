/** Measures stored history beside VictoriaMetrics and InfluxDB: the same samples, their size on disk and their queries. */
import type { Bench, BenchCase } from '../bench-case.ts'
import { type GangwayStore, createToken, openGangway } from '../history/gangway.ts'
import { startInfluxDb } from '../history/influxdb.ts'
import { measureIngestBesidePacking } from '../history/ingest-beside-packing.ts'
import { insertLatestAssets, measureLatest } from '../history/latest.ts'
import { measureQuestions, type StoredHistory } from '../history/questions.ts'
import { measureRawPages } from '../history/raw-pages.ts'
import { createSensors, SAMPLES_A_DAY, SIGNALS } from '../history/sensors.ts'
import { type Answer, type Store, sumValues } from '../history/store.ts'
import { startVictoriaMetrics } from '../history/victoria-metrics.ts'
import { compare, type Finding } from '../measure/finding.ts'
import { deviceId, insertDevices } from '../platform/devices.ts'
import { startPlatform } from '../platform/start.ts'

const DAY_MS = 86_400_000
/** Longer than a day stays open after its end. */
const SETTLED_MS = 7 * 3_600_000
const MAX_BYTES = 2
const MIN_PACKED_A_SECOND = 2_000_000
const PREFIX = 'sensor'

export const history: BenchCase = {
  name: 'history',
  about:
    'packed telemetry beside VictoriaMetrics and InfluxDB: bytes a value, queries; packing, latest values',
  maxSeconds: 3600,
  isOnRequest: true,
  async run(bench) {
    const platform = await bench.use(startPlatform(bench))
    const token = await createToken(platform)
    const deviceCount = Math.max(1, Math.round(bench.sizes.series / SIGNALS.length))
    await insertDevices(platform, deviceCount, { prefix: PREFIX })
    // Its job would pack as well.
    await platform.server().stop()
    const gangway = await openGangway(bench, platform, token)
    const others = [await startVictoriaMetrics(bench), await startInfluxDb(bench)]
    const stores = [gangway, ...others.filter((store) => store !== undefined)]

    const stored = await load(bench, stores, deviceCount)
    const sizes = await measureSizes(stores, stored)
    const packing = describePacking(gangway)
    await platform.restartServer()
    const assets = await insertLatestAssets(platform, stored.fromMs)
    await gangway.pack()
    return [
      ...sizes,
      ...(await measureQuestions(bench, stores, stored)),
      ...(await measureRawPages(bench, gangway, stored)),
      ...(await measureLatest(bench, { platform, token, assets })),
      packing,
      await measureIngestBesidePacking(bench, platform, stored.fromMs),
    ]
  },
}

async function load(bench: Bench, stores: Store[], deviceCount: number): Promise<StoredHistory> {
  const { days } = bench.sizes
  const devices = Array.from({ length: deviceCount }, (_, index) => deviceId(index, PREFIX))
  const sensors = createSensors(devices)
  const fromMs = (Math.floor((Date.now() - SETTLED_MS) / DAY_MS) - days) * DAY_MS
  const answers = new Map<string, Answer>()
  for (let day = 0; day < days; day++) {
    const samples = sensors.map((sensor) => sensor.read(fromMs + day * DAY_MS, SAMPLES_A_DAY))
    for (const { device, columns } of samples)
      for (const [index, column] of columns.entries())
        answers.set(`${device} ${SIGNALS[index]} ${fromMs + day * DAY_MS}`, sumValues(column))
    const seconds: string[] = []
    for (const store of stores) {
      const startedMs = performance.now()
      await store.add(samples)
      seconds.push(`${store.name} ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
    }
    bench.progress(`day ${day + 1} of ${days}: ${seconds.join(', ')}`)
  }
  for (const store of stores) await store.settle()
  const readDay: StoredHistory['readDay'] = ({ device, signal, fromMs: dayMs }) =>
    answers.get(`${device} ${signal} ${dayMs}`)!
  return { devices, fromMs, days, readDay }
}

async function measureSizes(stores: Store[], { devices, days }: StoredHistory): Promise<Finding[]> {
  const values = devices.length * SIGNALS.length * SAMPLES_A_DAY * days
  const [own, ...others] = await Promise.all(
    stores.map(async (store) => ({ name: store.name, rounds: [(await store.measureBytes()) / values] })),
  )
  const finding = {
    measure: 'on disk for a value',
    unit: 'B',
    goal: { valueAtMost: MAX_BYTES },
    details: { values },
  }
  if (others.length === 0) return [{ ...finding, value: own!.rounds[0]! }]
  return others.map((baseline) => compare({ ...finding, better: 'less', rounds: own!.rounds, baseline }))
}

function describePacking(gangway: GangwayStore): Finding {
  const { values, cpuSeconds } = gangway.packing()
  return {
    measure: 'packed in a second of processor time',
    unit: 'values/s',
    value: values / cpuSeconds,
    goal: { valueAtLeast: MIN_PACKED_A_SECOND },
  }
}
