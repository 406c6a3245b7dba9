/** New devices that enrol at a server under test, and the CPU time of the processes that take part. */
import type { Bench } from '../bench-case.ts'
import { type Child, startProgram } from '../child.ts'
import { readCpuSeconds } from '../measure/cpu-time.ts'
import { median } from '../measure/statistics.ts'
import type { EnrollmentsProgram } from '../programs/enrollments.ts'
import type { Handlers } from '../programs/serve.ts'
import { deviceId } from './devices.ts'
import { bulkAdd, type EnrollmentGroup } from './onboarding.ts'
import type { Platform } from './start.ts'

export interface EnrollingFleet {
  /** Enrols new devices. @returns enrolments a second */
  enroll(how: Enrolment): Promise<number>
  /** @returns medians of the rounds, CPU time in ms for each enrolment */
  listCosts(name: string): Record<string, number>
}

interface Enrolment {
  /** By which its costs are found. */
  name: string
  url: string
  /** Each device opens a connection of its own; otherwise the connections are open already. */
  isOnNew: boolean
  server: Pick<Child<Handlers>, 'process'>
}

type Costs = Record<string, number>

interface FleetOptions {
  group: EnrollmentGroup
  /** Enrolled in each round, each time other ones. */
  devices: number
  connections: number
}

export async function startEnrollingFleet(
  bench: Bench,
  platform: Platform,
  { group, devices, connections }: FleetOptions,
): Promise<EnrollingFleet> {
  const program = await bench.use(startProgram<EnrollmentsProgram>('enrollments'))
  const costs = new Map<string, Costs[]>()
  let made = 0
  return {
    async enroll({ name, url, isOnNew, server }) {
      const ids = Array.from({ length: devices }, () => deviceId(made++))
      await bulkAdd(platform, group.id, ids)
      await program.call('prepare', ids, group.bootstrapKey)
      if (!isOnNew) await program.call('open', url, connections)
      const read = async () => [
        await readCpuSeconds(server.process.pid!),
        await readCpuSeconds(platform.databasePid),
      ]
      const before = await read()
      const { perSecond, cpuSeconds } = isOnNew
        ? await program.call('sendOnNew', url, connections)
        : await program.call('sendOnKept', url)
      const [serverSeconds, databaseSeconds] = (await read()).map((after, index) => after - before[index]!)
      const toMs = (seconds = 0) => (seconds / devices) * 1000
      const cost = {
        serverCpuMs: toMs(serverSeconds),
        databaseCpuMs: toMs(databaseSeconds),
        clientCpuMs: toMs(cpuSeconds),
      }
      costs.set(name, [...(costs.get(name) ?? []), cost])
      return perSecond
    },
    listCosts(name) {
      const rounds = costs.get(name) ?? []
      const kinds = Object.keys(rounds[0] ?? {})
      return Object.fromEntries(kinds.map((kind) => [kind, median(rounds.map((round) => round[kind]!))]))
    },
  }
}
