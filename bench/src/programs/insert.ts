/** The baseline of `ingest`: plain inserts of rows such as telemetry makes, two statements in flight, nothing else. */
import { Client } from 'pg'
import { median } from '../measure/statistics.ts'
import { ignoreInterrupt, serve } from './serve.ts'

const IN_FLIGHT = 2

export interface Rows {
  tenantNumber: number
  /** One row for each series, in turn. */
  seriesNumbers: number[]
}

// `on conflict`, which drops QoS 1 duplicates, is left out of this baseline.
const statement = {
  name: 'insert',
  text: `insert into samples (tenant_number, series_number, time, message_id, value)
    select tenant, series, to_timestamp(ms / 1000)::timestamptz(3), message, value
    from unnest($1::int4[], $2::int4[], $3::float8[], $4::int8[], $5::float8[])
      as entry (tenant, series, ms, message, value)`,
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

  /** @returns the median time of one insert of `batchRows` rows on its own, in ms */
  async insertAlone(rows: Rows, batchRows: number, times: number) {
    const nextBatch = batches(rows)
    const millis: number[] = []
    for (let time = 0; time < times; time++) {
      const startedMs = performance.now()
      await clients[0]!.query({ ...statement, values: nextBatch(batchRows) })
      millis.push(performance.now() - startedMs)
    }
    return median(millis)
  },
}

export type InsertProgram = typeof handlers

function batches({ tenantNumber, seriesNumbers }: Rows) {
  let row = 0
  return (batchRows: number) => {
    const series = Array.from({ length: batchRows }, () => seriesNumbers[row++ % seriesNumbers.length]!)
    const nowMs = Date.now()
    return [
      writeArray(series.map(() => tenantNumber)),
      writeArray(series),
      writeArray(series.map(() => nowMs)),
      writeArray(series.map(() => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER))),
      writeArray(series.map(() => Math.round(Math.random() * 10_000) / 100)),
    ]
  }
}

/** pg would check the type of every entry and quote it. */
const writeArray = (values: number[]) => `{${values.join(',')}}`

ignoreInterrupt()
serve(handlers)
