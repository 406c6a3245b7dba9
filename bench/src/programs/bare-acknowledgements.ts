/** Waits for PostgreSQL and for NATS as ingest does, with nothing around it: one small commit or batch after the other. */
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { percentile } from '../measure/statistics.ts'
import { ignoreInterrupt, serve } from './serve.ts'

const PAYLOAD = Buffer.alloc(250)
/** So that the machine is as busy as with a moderate load. */
const PAUSE_MS = 1
const STREAM = 'BARE'
const SUBJECT = 'bare'

let acknowledge: () => Promise<unknown>

const handlers = {
  /** Each acknowledgement is a commit of a row. */
  async useDatabase(url: string) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query('create table bare_rows (payload bytea)')
    acknowledge = () => client.query('insert into bare_rows values ($1)', [PAYLOAD])
  },

  /** Each acknowledgement is that of a stream in files. @param servers addresses */
  async useStream(servers: string, replicas: number) {
    const nats = await connect({ servers: servers.split(',') })
    const manager = await jetstreamManager(nats)
    await manager.streams.add({
      name: STREAM,
      subjects: [SUBJECT],
      storage: StorageType.File,
      num_replicas: replicas,
    })
    const stream = jetstream(nats)
    acknowledge = () => stream.publish(SUBJECT, PAYLOAD)
  },

  /** How late a process that sleeps is woken, since others have the processors. */
  async measureWaking(seconds: number) {
    const latencies: number[] = []
    for (const untilMs = performance.now() + seconds * 1000; performance.now() < untilMs;) {
      const dueMs = performance.now() + PAUSE_MS
      await sleep(PAUSE_MS)
      latencies.push(Math.max(0.01, performance.now() - dueMs))
    }
    return { p50Ms: percentile(latencies, 50), p99Ms: percentile(latencies, 99) }
  },

  async measure(seconds: number) {
    const latencies: number[] = []
    for (const untilMs = performance.now() + seconds * 1000; performance.now() < untilMs;) {
      const startedMs = performance.now()
      await acknowledge()
      latencies.push(performance.now() - startedMs)
      await sleep(PAUSE_MS)
    }
    return { p50Ms: percentile(latencies, 50), p99Ms: percentile(latencies, 99) }
  },
}

export type BareAcknowledgementsProgram = typeof handlers

ignoreInterrupt()
serve(handlers)
