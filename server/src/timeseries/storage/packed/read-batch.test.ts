import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '../../../../test/harness/database.ts'
import { insertTenant, storeSamples } from '../../../../test/harness/telemetry.ts'
import { countToastReads } from '../../../../test/harness/toast-reads.ts'
import { dayNumber, dayPartition } from '../partition-names.ts'
import { MERGE_LIMITS } from './merge-limits.ts'
import { readBatch } from './read-batch.ts'

const ROWS = 40
const start = Date.parse('2026-03-01T00:00:00Z')
const day = dayNumber(start)
const span = { partition: dayPartition(day), day }
const limits = {
  rows: 20_000,
  cells: 10_000,
  streams: 500,
  pieceRows: 25_000,
  pieceCells: 500_000,
  merged: MERGE_LIMITS,
}

test('only those large values are read that the batch has', async () => {
  await using database = await testDatabase()
  const owner = {
    tenantNumber: await insertTenant(database, 't'),
    ownerType: 'client',
    ownerId: 'camera',
  } as const
  await storeSamples(
    database,
    owner,
    Array.from({ length: ROWS }, (_, row) => ({
      name: 'image',
      time: start + row,
      value: randomBytes(20_000).toString('hex'),
    })),
  )
  await database.db.transaction().execute(async (tx) => {
    let rows = 0
    const reads = await countToastReads(tx, async () => {
      const [stream] = await readBatch(tx, span, limits)
      rows = stream!.rows.times.length
    })
    expect(rows).toBeGreaterThan(0)
    expect(rows).toBeLessThan(ROWS / 4)
    expect(reads).toBe(rows)
  })
})

test('texts are measured that are much larger than their compressed size lets expect', async () => {
  await using database = await testDatabase()
  const tenantNumber = await insertTenant(database, 't')
  const sizes = [10_000, 60_000, 60_000, 10_000]
  await storeSamples(
    database,
    { tenantNumber, ownerType: 'client', ownerId: 'printer' },
    sizes.map((size, row) => ({ name: 'page', time: start + row, value: ' '.repeat(size) })),
  )
  await database.db.transaction().execute(async (tx) => {
    const [stream] = await readBatch(tx, span, limits)
    // A cell counts as eight bytes, so that the limit is reached by the third one.
    expect([...stream!.rows.times]).toEqual([start, start + 1, start + 2])
  })
})

test('streams of very many series are divided among batches', async () => {
  await using database = await testDatabase()
  const tenantNumber = await insertTenant(database, 't')
  const owner = { tenantNumber, ownerType: 'client', ownerId: 'first' } as const
  await storeSamples(database, owner, [{ name: 's', time: start, value: 1 }])
  const [streams, columns] = [50, 1000]
  await sql`
    insert into sample_rows (tenant_number, stream_number, time, message_id, numbers)
    select ${tenantNumber}::int, 1000 + stream, ${new Date(start)}, stream, array(select generate_series(1, ${columns}::int))
    from generate_series(1, ${streams}::int) stream`.execute(database.db)
  await database.db.transaction().execute(async (tx) => {
    const found = await readBatch(tx, span, { ...limits, cells: 250_000 })
    expect(found.length).toBe(31)
    const { streamNumber } = found.at(-1)!
    const after = { tenantNumber, streamNumber, timeMs: start, messageId: String(streamNumber - 1000) }
    const left = await readBatch(tx, { ...span, after }, { ...limits, cells: 250_000 })
    expect(found.length + left.length).toBe(streams + 1)
  })
})
