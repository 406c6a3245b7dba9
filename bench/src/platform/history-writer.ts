/**
 * Stores samples by the functions that ingest calls last, in the rows that it would make of messages: through the
 * gateway, the months of a history would take hours.
 */
import { randomFillSync } from 'node:crypto'
import { inLanes } from '@gangway/server/dist/lib/in-lanes.js'
import { appendNewRows } from '@gangway/server/dist/timeseries/storage/append.js'
import { ensureSeries } from '@gangway/server/dist/timeseries/storage/ensure-series.js'
import { raiseLastHours } from '@gangway/server/dist/timeseries/storage/last-hours.js'
import { createRowTables, ensurePartitions } from '@gangway/server/dist/timeseries/storage/row-tables.js'
import type { SampleRow } from '@gangway/server/dist/timeseries/storage/sample-row.js'
import type { OwnerType } from '@gangway/server/dist/timeseries/storage/series-key.js'
import {
  createSeriesRegistry,
  findStream,
  type Stream,
} from '@gangway/server/dist/timeseries/storage/series-registry.js'
import { isBoolean, SIGNALS, type SensorSamples } from '../history/sensors.ts'
import type { Platform } from './start.ts'

const ROWS_A_STATEMENT = 4000
const LANES = 2

interface WrittenRow extends SampleRow {
  stream: Stream
}

/** @returns a function that stores samples as telemetry of the devices (or assets) that they name */
export async function createHistoryWriter(
  { db, pool }: Platform,
  ownerType: OwnerType = 'client',
  tenantId = 'default',
) {
  const [series, tables] = [createSeriesRegistry(), createRowTables()]
  const { rows } = await pool.query<{ number: number }>('select number from tenants where id = $1', [
    tenantId,
  ])
  const tenantNumber = rows[0]!.number
  const type = 'telemetry' as const
  return async (samples: SensorSamples[]): Promise<void> => {
    const owned = samples.map((one) => ({ ...one, owner: { tenantNumber, ownerType, ownerId: one.device } }))
    const needed = owned.map(({ owner }) => ({
      owner,
      type,
      componentId: '',
      names: SIGNALS,
      values: SIGNALS.map(() => 0),
    }))
    await ensureSeries(db, series, needed)
    const batches = owned.flatMap(({ owner, ...one }) =>
      splitRows({ ...one, tenantNumber, stream: findStream(series, owner, type)! }),
    )
    await ensurePartitions(
      pool,
      tables,
      batches.map((batch) => batch[0]!),
    )
    await raiseLastHours(
      db,
      batches.map((batch) => batch.at(-1)!),
    )
    await inLanes(batches, { lanes: LANES }, (batch) => appendNewRows(db, tables, batch))
  }
}

interface StreamSamples extends SensorSamples {
  tenantNumber: number
  stream: Stream
}

function splitRows({ tenantNumber, stream, timesMs, columns }: StreamSamples): WrittenRow[][] {
  const slots = SIGNALS.map((signal) => stream.slots.get(signal)!)
  // Like the hash of a message, they do not compress.
  const messageIds = randomFillSync(new BigInt64Array(timesMs.length))
  const rows = Array.from(timesMs, (timeMs, row): WrittenRow => ({
    stream,
    tenantNumber,
    streamNumber: stream.number,
    timeMs,
    messageId: messageIds[row]!,
    slots,
    values: columns.map((values, index) => (isBoolean(SIGNALS[index]!) ? values[row] === 1 : values[row])),
  }))
  return Array.from({ length: Math.ceil(rows.length / ROWS_A_STATEMENT) }, (_, index) =>
    rows.slice(index * ROWS_A_STATEMENT, (index + 1) * ROWS_A_STATEMENT),
  )
}
