/** The baseline of `ingest`: plain inserts of rows such as telemetry makes, two statements in flight, nothing else. */
import { Client } from 'pg'
import { ignoreInterrupt, serve } from './serve.ts'

const IN_FLIGHT = 2

export interface Rows {
  tenantNumber: number
  /** One row for each stream, in turn. */
  streamNumbers: number[]
  /** Numbers of one row. */
  signals: number
}

// `on conflict`, which drops QoS 1 duplicates, is left out of this baseline.
const statement = {
  name: 'insert',
  text: `insert into sample_rows (tenant_number, stream_number, time, message_id, numbers)
    select tenant, stream, to_timestamp(ms / 1000)::timestamptz(3), message, numbers::float8[]
    from unnest($1::int4[], $2::int4[], $3::float8[], $4::int8[], $5::text[])
      as entry (tenant, stream, ms, message, numbers)`,
}

let clients: Client[] = []

const handlers = {
  async connect(databaseUrl: string) {
    clients = await Promise.all(
      Array.from({ length: IN_FLIGHT }, async () => {
        const client = new Client({ connectionString: databaseUrl })
        await client.connect()
        return client
      }),
    )
  },

  /** @returns rows a second, and how many there were */
  async insert(rows: Rows, batchRows: number, seconds: number) {
    const nextBatch = batches(rows)
    const startedMs = performance.now()
    const untilMs = startedMs + seconds * 1000
    let inserted = 0
    const lane = async (client: Client) => {
      while (performance.now() < untilMs) {
        await client.query({ ...statement, values: nextBatch(batchRows) })
        inserted += batchRows
      }
    }
    await Promise.all(clients.map(lane))
    return { rows: inserted, rowsPerSecond: inserted / ((performance.now() - startedMs) / 1000) }
  },
}

export type InsertProgram = typeof handlers

function batches({ tenantNumber, streamNumbers, signals }: Rows) {
  let row = 0
  const makeNumbers = () => Array.from({ length: signals }, () => Math.round(Math.random() * 10_000) / 100)
  return (batchRows: number) => {
    const streams = Array.from({ length: batchRows }, () => streamNumbers[row++ % streamNumbers.length]!)
    const nowMs = Date.now()
    return [
      writeArray(streams.map(() => tenantNumber)),
      writeArray(streams),
      writeArray(streams.map(() => nowMs)),
      writeArray(streams.map(() => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER))),
      `{${streams.map(() => `"{${makeNumbers().join(',')}}"`).join(',')}}`,
    ]
  }
}

/** pg would check the type of every entry and quote it. */
const writeArray = (values: number[]) => `{${values.join(',')}}`

ignoreInterrupt()
serve(handlers)
