/**
 * Measures ingest from socket to disk: what the gateway, parsing and acknowledging add to plain inserts, and what storing adds
 * to a gateway that acknowledges at once.
 */
import type { Bench, BenchCase } from '../bench-case.ts'
import { type Child, startProgram } from '../child.ts'
import { compare, type Finding } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { DEVICES_FOR_VARIANTS, measureVariants } from './ingest-variants.ts'
import { insertDevices } from '../platform/devices.ts'
import { readMetric } from '../platform/metrics.ts'
import { type Platform, startPlatform } from '../platform/start.ts'
import { startUnstoredGateway } from '../platform/unstored-gateway.ts'
import type { DeviceKey } from '../mqtt/connection.ts'
import type { FleetProgram } from '../programs/fleet.ts'
import type { InsertProgram, Rows } from '../programs/insert.ts'

const CONNECTIONS = [100, 1000]
const SIGNALS = 3
/** Messages in flight on all connections; enough for full batches at all times. */
const MESSAGES_IN_FLIGHT = 8000
const ROUNDS = 5
const ROUND_SECONDS = 3
const WARM_UP_SECONDS = 2
const INSERTS_GOAL = { ratioAtLeast: 0.7 }
const UNSTORED_GOAL = { ratioAtLeast: 0.6 }

export const ingest: BenchCase = {
  name: 'ingest',
  about:
    'telemetry over MQTT at QoS 1, against plain inserts of the same rows and a gateway that stores nothing; with assets and alarms, against without',
  maxSeconds: 900,
  async run(bench) {
    const platform = await bench.use(startPlatform(bench))
    const devices = await insertDevices(platform, Math.max(DEVICES_FOR_VARIANTS, ...CONNECTIONS))
    const inserter = await bench.use(startProgram<InsertProgram>('insert'))
    await inserter.call('connect', platform.databaseUrl)
    const unstored = await bench.use(startUnstoredGateway(bench, Math.max(...CONNECTIONS)))
    const run = { bench, platform, inserter, rowsExpected: 0 }
    const findings: Finding[] = []
    const connectFleet = async (mqttPort: number, some: DeviceKey[]) => {
      const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
      await fleet.call('connect', mqttPort, some)
      return fleet
    }
    for (const connections of CONNECTIONS) {
      const fleet = await connectFleet(platform.server().mqttPort, devices.slice(0, connections))
      const other = await connectFleet(unstored.mqttPort, unstored.devices.slice(0, connections))
      findings.push(...(await measure(run, { fleet, other }, connections)))
      await fleet.stop()
      await other.stop()
    }
    await unstored[Symbol.asyncDispose]()
    const variants = await measureVariants(bench, platform, devices)
    run.rowsExpected += variants.rows
    await checkRows(run)
    return [...findings, ...variants.findings]
  },
}

interface Run {
  bench: Bench
  platform: Platform
  inserter: Child<InsertProgram>
  /** Rows that were acknowledged, or inserted directly. */
  rowsExpected: number
}

interface Fleets {
  fleet: Child<FleetProgram>
  /** Sends to the gateway that stores nothing. */
  other: Child<FleetProgram>
}

async function measure(run: Run, { fleet, other }: Fleets, connections: number): Promise<Finding[]> {
  const { bench, inserter } = run
  const window = MESSAGES_IN_FLIGHT / connections
  const publish = async (seconds: number) => {
    const { messages, messagesPerSecond } = await fleet.call('publishInWindow', window, seconds)
    run.rowsExpected += messages
    return messagesPerSecond
  }
  const publishUnstored = async (seconds: number) =>
    (await other.call('publishInWindow', window, seconds)).messagesPerSecond
  const batchMessages = await messagesPerCommit(run.platform, () => publish(WARM_UP_SECONDS))
  const rows = await rowsOfTelemetry(run.platform)
  bench.progress(
    `${connections} connections: the server commits ${Math.round(batchMessages)} messages at a time`,
  )

  const insert = async (seconds: number) => {
    const inserted = await inserter.call('insert', rows, Math.round(batchMessages), seconds)
    run.rowsExpected += inserted.rows
    return inserted.rowsPerSecond
  }
  await insert(WARM_UP_SECONDS)
  await publishUnstored(WARM_UP_SECONDS)
  const measured = await interleave(bench, ROUNDS, {
    ingest: () => publish(ROUND_SECONDS),
    inserts: () => insert(ROUND_SECONDS),
    unstored: () => publishUnstored(ROUND_SECONDS),
  })
  const common = {
    measure: `messages/s, ${connections} connections`,
    unit: 'messages/s',
    better: 'more',
    rounds: measured.ingest,
    details: { messagesPerCommit: batchMessages },
  } as const
  return [
    compare({
      ...common,
      baseline: { name: 'plain inserts', rounds: measured.inserts },
      goal: INSERTS_GOAL,
    }),
    compare({
      ...common,
      baseline: { name: 'a gateway that stores nothing', rounds: measured.unstored },
      goal: UNSTORED_GOAL,
    }),
  ]
}

async function messagesPerCommit(platform: Platform, work: () => Promise<unknown>): Promise<number> {
  const read = async () => ({
    messages: await readMetric(platform.server(), 'gangway_ingest_messages_total'),
    commits: await readMetric(platform.server(), 'gangway_ingest_commit_seconds_count'),
  })
  await work()
  // Two warm-up runs: the first one creates series and partitions, and its batches are not typical.
  const before = await read()
  await work()
  const after = await read()
  return (after.messages - before.messages) / (after.commits - before.commits)
}

/** The streams of the fleet. */
async function rowsOfTelemetry({ pool }: Platform): Promise<Rows> {
  const { rows } = await pool.query<{ tenant_number: number; number: number }>(
    `select tenant_number, number from streams where type = 'telemetry' order by owner_id`,
  )
  return {
    tenantNumber: rows[0]!.tenant_number,
    streamNumbers: rows.map((row) => row.number),
    signals: SIGNALS,
  }
}

/** Checks that every acknowledged row is stored exactly once; otherwise the figures are worthless. */
async function checkRows({ platform, rowsExpected }: Run): Promise<void> {
  const { rows } = await platform.pool.query<{ count: string }>(
    // A message has one row under its client, whatever assets have of it.
    `select count(*) from sample_rows join streams on streams.number = stream_number and owner_type = 'client'`,
  )
  if (Number(rows[0]!.count) !== rowsExpected)
    throw new Error(`${rowsExpected} rows were acknowledged, and ${rows[0]!.count} are in the database`)
}
