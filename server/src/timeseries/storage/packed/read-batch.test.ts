import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { testDatabase } from '../../../../test/harness/database.ts'
import { insertTenant, storeSamples } from '../../../../test/harness/telemetry.ts'
import { countToastReads } from '../../../../test/harness/toast-reads.ts'
import { dayNumber, dayPartition } from '../partition-names.ts'
import { MERGE_LIMITS } from './merge-limits.ts'
import { readBatch } from './read-batch.ts'

const ROWS = 40
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
  const start = Date.parse('2026-03-01T00:00:00Z')
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
  const day = dayNumber(start)
  await database.db.transaction().execute(async (tx) => {
    let rows = 0
    const reads = await countToastReads(tx, async () => {
      const [stream] = await readBatch(tx, { partition: dayPartition(day), day }, limits)
      rows = stream!.rows.times.length
    })
    expect(rows).toBeGreaterThan(0)
    expect(rows).toBeLessThan(ROWS / 4)
    expect(reads).toBe(rows)
  })
})
