/**
 * A baseline of `ingest`: plain inserts of rows such as telemetry makes, in the binary format that the server uses, two
 * statements in flight, nothing else.
 */
import { encodeRows } from '@gangway/server/dist/timeseries/storage/encode-rows.js'
import type { SampleRow } from '@gangway/server/dist/timeseries/storage/sample-row.js'
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
const statement = { name: 'insert', text: 'insert into sample_rows select * from unnest($1::sample_rows[])' }

let clients: Client[] = []
/** The object identifier of the row type. */
let rowType = 0

const handlers = {
  async connect(databaseUrl: string) {
    clients = await Promise.all(
      Array.from({ length: IN_FLIGHT }, async () => {
        const client = new Client({ connectionString: databaseUrl })
        await client.connect()
        return client
      }),
    )
    const { rows } = await clients[0]!.query<{ type: number }>(
      "select 'sample_rows'::regtype::oid::int8::float8 as type",
    )
    rowType = rows[0]!.type
  },

  /** @returns rows a second, and how many there were */
  async insert(rows: Rows, batchRows: number, seconds: number) {
    const nextBatch = batches(rows)
    const startedMs = performance.now()
    const untilMs = startedMs + seconds * 1000
    let inserted = 0
    const lane = async (client: Client) => {
      while (performance.now() < untilMs) {
        await client.query({ ...statement, values: [encodeRows(nextBatch(batchRows), rowType)] })
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
  const slots = Array.from({ length: signals }, (_, index) => index + 1)
  return (batchRows: number): SampleRow[] => {
    const timeMs = Date.now()
    return Array.from({ length: batchRows }, () => ({
      tenantNumber,
      streamNumber: streamNumbers[row++ % streamNumbers.length]!,
      timeMs,
      messageId: BigInt(Math.floor(Math.random() * Number.MAX_SAFE_INTEGER)),
      slots,
      values: slots.map(() => Math.round(Math.random() * 10_000) / 100),
    }))
  }
}

ignoreInterrupt()
serve(handlers)
