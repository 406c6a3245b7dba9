/** Measures the memory that packing, merging, exporting and moving of stored history take, each in a process of its own. */
import type { Bench, BenchCase } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import { findStream, insertFormer, insertTexts } from '../history/memory-samples.ts'
import { createSensors, SAMPLES_A_DAY, SIGNALS } from '../history/sensors.ts'
import type { Finding } from '../measure/finding.ts'
import { deviceId, insertDevices } from '../platform/devices.ts'
import { createHistoryWriter } from '../platform/history-writer.ts'
import { type Platform, startPlatform } from '../platform/start.ts'
import type { HistoryMemoryProgram, MostMemory } from '../programs/history-memory.ts'

const DAY_MS = 86_400_000
/** Longer than a day stays open after its end. */
const SETTLED_MS = 7 * 3_600_000
const PREFIX = 'sensor'
const VALUES_A_DAY = SIGNALS.length * SAMPLES_A_DAY
const DEVICES = 116
const TEXTS = 40_000
const FORMER = 1_000_000
const GOAL = { valueAtMost: 64 }
/** Garbage is collected early, so that what is measured is what is held. */
const FLAGS = ['--max-semi-space-size=1']
/** Late samples lie between those that are packed. */
const LATE_MS = 1000

export const historyMemory: BenchCase = {
  name: 'history-memory',
  about:
    'memory of packing, merging, exporting and moving stored history; --large exports 100 million values',
  maxSeconds: 1800,
  maxSecondsLarge: 3 * 3600,
  isOnRequest: true,
  async run(bench) {
    const platform = await bench.use(startPlatform(bench))
    await insertDevices(platform, DEVICES, { prefix: PREFIX })
    // Its jobs would do the same work.
    await platform.server().stop()
    return measureAll({ bench, platform, write: await createHistoryWriter(platform) })
  },
}

interface Run {
  bench: Bench
  platform: Platform
  write: Awaited<ReturnType<typeof createHistoryWriter>>
}

const devices = Array.from({ length: DEVICES }, (_, index) => deviceId(index, PREFIX))
const sensors = createSensors(devices)

async function measureAll(run: Run): Promise<Finding[]> {
  const { bench, platform } = run
  const fromMs = (Math.floor((Date.now() - SETTLED_MS) / DAY_MS) - 2) * DAY_MS
  const findings: Finding[] = []
  const measure = async (name: string, work: Work) => {
    const finding = describe(name, await inOwnProcess(run, work))
    const { residentMebibytes } = finding.details as { residentMebibytes: number }
    bench.progress(
      `${name}: ${finding.value.toFixed(1)} MiB held, ${residentMebibytes.toFixed(1)} MiB resident`,
    )
    findings.push(finding)
  }
  await writeDay(run, fromMs, 0)
  await measure(`packing ${describeValues(DEVICES * VALUES_A_DAY)} numbers`, pack)
  await writeDay(run, fromMs, LATE_MS)
  await measure('merging as many late ones into full pieces', pack)
  await insertTexts(platform, devices[0]!, { fromMs, count: TEXTS })
  await measure(`packing ${TEXTS.toLocaleString('en')} texts of a kilobyte`, pack)
  await insertFormer(platform, devices[1]!, { fromMs: fromMs - 30 * DAY_MS, count: FORMER })
  await measure(`moving ${describeValues(FORMER)} former numbers, and texts`, (program) => program('move'))
  await measureExports(run, measure, fromMs)
  return findings
}

async function measureExports(
  run: Run,
  measure: (name: string, work: Work) => Promise<void>,
  fromMs: number,
): Promise<void> {
  const { tenantNumber } = await findStream(run.platform, devices[0]!)
  const half = { tenantNumber, ownerIds: devices.slice(DEVICES / 2) }
  await measure('exporting Parquet of 10 million values', (program) =>
    program('exportParquet', half, SIGNALS),
  )
  if (!run.bench.sizes.isLarge) return
  for (let day = 1; day <= 8; day++) {
    await writeDay(run, fromMs - day * DAY_MS, 0)
    await inOwnProcess(run, pack)
  }
  const all = { tenantNumber, ownerIds: devices }
  await measure('exporting Parquet of 100 million values', (program) =>
    program('exportParquet', all, SIGNALS),
  )
}

const describeValues = (count: number) => `${Math.round(count / 1e6)} million`

async function writeDay({ write }: Run, dayMs: number, offsetMs: number): Promise<void> {
  for (const sensor of sensors) {
    const samples = sensor.read(dayMs + offsetMs, SAMPLES_A_DAY - 1)
    await write([samples])
  }
}

type Call = <K extends keyof HistoryMemoryProgram>(
  method: K,
  ...args: Parameters<HistoryMemoryProgram[K]>
) => Promise<Awaited<ReturnType<HistoryMemoryProgram[K]>>>
type Work = (call: Call) => Promise<MostMemory>

const pack: Work = (program) => program('pack')

/** A process of its own, whose memory is not that of the work before. */
async function inOwnProcess({ bench, platform }: Run, work: Work): Promise<MostMemory> {
  const program = await bench.use(startProgram<HistoryMemoryProgram>('history-memory', FLAGS))
  await program.call('connect', platform.databaseUrl)
  try {
    return await work(program.call)
  } finally {
    await program.stop()
  }
}

const describe = (measure: string, { heldMebibytes, residentMebibytes }: MostMemory): Finding => ({
  measure,
  unit: 'MiB',
  value: heldMebibytes,
  goal: GOAL,
  details: { residentMebibytes },
})
