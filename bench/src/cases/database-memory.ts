/** Measures whether the processes of PostgreSQL and the server keep growing under a steady load. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, BenchCase } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import { compare, type Finding } from '../measure/finding.ts'
import { readPrivateMemory, readTitle } from '../measure/private-memory.ts'
import { insertBoundAssets } from '../platform/bound-assets.ts'
import { insertDevices } from '../platform/devices.ts'
import { keepAsking } from '../platform/keep-asking.ts'
import { type Platform, startPlatform } from '../platform/start.ts'
import type { FleetProgram } from '../programs/fleet.ts'

const MINUTES = 60
/** Caches are filled by then. */
const BASELINE_MINUTE = 10
const DEVICES = 100
const MESSAGES_PER_SECOND = 500
const GOAL = { ratioAtLeast: 0.5 }

export const databaseMemory: BenchCase = {
  name: 'database-memory',
  about: `largest private memory of each kind of process after ${MINUTES} minutes of load, against minute ${BASELINE_MINUTE}`,
  isOnRequest: true,
  maxSeconds: (MINUTES + 5) * 60,
  async run(bench) {
    const platform = await bench.use(startPlatform(bench))
    const devices = await insertDevices(platform, DEVICES)
    const modelId = await insertBoundAssets(platform, 'memory', devices)
    // Each device raises and clears it every twenty seconds.
    await platform.api().post('/v1/alarms', {
      name: 'Hot',
      entityTypeId: modelId,
      condition: JSON.stringify({ '>': [{ var: 'temperature' }, 84] }),
    })
    const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
    await fleet.call('connect', platform.server().mqttPort, devices)
    const over = new AbortController()
    const [minutes] = await Promise.all([
      readEachMinute(bench, platform).finally(() => over.abort()),
      fleet.call('publishAtRate', MESSAGES_PER_SECOND, MINUTES * 60),
      keepAsking(
        platform,
        devices.map(({ id }) => `memory-${id}`),
        over.signal,
      ),
    ])
    return findingsOf(minutes)
  },
}

/** MiB of the largest process of each kind. */
type Reading = Map<string, number>

async function readEachMinute(bench: Bench, platform: Platform): Promise<Reading[]> {
  const readings: Reading[] = []
  const startMs = performance.now()
  for (let minute = 0; minute <= MINUTES; minute++) {
    await sleep(startMs + minute * 60_000 - performance.now())
    const reading = await readLargest(platform)
    const kinds = [...reading].map(([kind, mebibytes]) => `${kind} ${mebibytes.toFixed(1)}`)
    bench.progress(`minute ${minute}, MiB: ${kinds.join(', ')}`)
    readings.push(reading)
  }
  return readings
}

async function readLargest(platform: Platform): Promise<Reading> {
  // The type of PostgreSQL's own processes is hidden from a user without privileges.
  const { rows } = await platform.pool.query<{ pid: number; kind: string | null }>(
    `select pid, backend_type || ' of ' || application_name as kind
     from pg_stat_activity where application_name is distinct from 'bench' order by kind`,
  )
  const largest: Reading = new Map()
  for (const { pid, kind } of [{ pid: platform.server().process.pid!, kind: 'server' }, ...rows]) {
    const [mebibytes, name] = [await readPrivateMemory(pid), kind ?? (await readTitle(pid))]
    if (mebibytes !== undefined) largest.set(name, Math.max(mebibytes, largest.get(name) ?? 0))
  }
  return largest
}

/** Kinds that were there at both times. */
function findingsOf(readings: Reading[]): Finding[] {
  const [baseline, last] = [readings[BASELINE_MINUTE]!, readings.at(-1)!]
  return [...last]
    .filter(([kind]) => baseline.has(kind))
    .map(([kind, mebibytes]) => {
      const all = readings.map((reading) => reading.get(kind)).filter((value) => value !== undefined)
      return compare({
        measure: kind,
        unit: 'MiB',
        better: 'less',
        rounds: [mebibytes],
        baseline: { name: `minute ${BASELINE_MINUTE}`, rounds: [baseline.get(kind)!] },
        goal: GOAL,
        details: { firstMebibytes: all[0]!, mostMebibytes: Math.max(...all) },
      })
    })
}
