/** Writing, packing and reading at the same time. */
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { afterStatement } from '../../../../test/harness/after-statement.ts'
import { testDatabase, type TestDatabase } from '../../../../test/harness/database.ts'
import { storeFormerSamples } from '../../../../test/harness/former-samples.ts'
import { testLog as log } from '../../../../test/harness/log.ts'
import { listPackedCells, listPackedPieces } from '../../../../test/harness/packed-pieces.ts'
import { insertTenant, storeSamples } from '../../../../test/harness/telemetry.ts'
import { untilBlocked } from '../../../../test/harness/until-blocked.ts'
import { bucketPages } from '../../query/aggregate.ts'
import { readPoints, timedValues } from '../../query/point-format.ts'
import { readSnapshot } from '../../query/read-snapshot.ts'
import { listStoredMessages } from '../../query/stored-messages.ts'
import { createDayPartition } from '../create-partition.ts'
import { moveFormerSamples } from '../former/move-former.ts'
import { isTimeout } from '../partition-lock.ts'
import { dayNumber, DAY_MS, dayPartition } from '../partition-names.ts'
import { listPartitions } from '../partitions.ts'
import { createRowTables } from '../row-tables.ts'
import type { Owner } from '../series-key.ts'
import { listSeriesNamed } from '../series.ts'
import { describeRow, findPackedMessages, listCandidates } from './find-packed.ts'
import { MERGE_LIMITS } from './merge-limits.ts'
import { packSamples } from './pack-samples.ts'
import type { PackLimits } from './row-key.ts'

let database: TestDatabase
let tenantNumber: number
beforeEach(async () => {
  database = await testDatabase()
  tenantNumber = await insertTenant(database, 't')
})
afterEach(() => database[Symbol.asyncDispose]())

const closed = (dayNumber(Date.now()) - 5) * DAY_MS
const makeOwner = (ownerId: string): Owner => ({ tenantNumber, ownerType: 'client', ownerId })
const pack = (db = database.db, limits?: PackLimits) =>
  packSamples({ pool: database.pool, db, log }, limits && { limits })
const store = (owner: Owner, ...times: number[]) =>
  storeSamples(
    database,
    owner,
    times.map((time) => ({ name: 'a', time, value: time, messageId: BigInt(time) })),
  )

/** Times of all samples, packed or not. */
async function listTimes(): Promise<number[]> {
  const cells = listPackedCells(await listPackedPieces(database.pool, tenantNumber))
  const { rows } = await sql<{ ms: number }>`
    select (date_part('epoch', time) * 1000)::float8 as ms from sample_rows where numbers is not null`.execute(
    database.db,
  )
  return [...cells.map(([, time]) => time), ...rows.map(({ ms }) => ms)].toSorted((a, b) => a - b)
}

/** An upper limit: a batch has fewer statements. */
const STATEMENTS = Array.from({ length: 12 }, (_, index) => index + 1)

test('late messages of any stream that are committed while a batch is packed are kept', async () => {
  const owners = ['a', 'b', 'c'].map(makeOwner)
  for (const owner of owners) await store(owner, closed - DAY_MS)
  await pack()
  const times = owners.map(() => closed - DAY_MS)
  for (const number of STATEMENTS) {
    const time = closed + number * 10
    await store(owners[0]!, time)
    await store(owners[2]!, time + 2)
    await pack(afterStatement(database.db, number, () => store(owners[1]!, time + 1)))
    // A batch with fewer statements has not stored it; storing it twice changes nothing.
    await store(owners[1]!, time + 1)
    times.push(time, time + 1, time + 2)
    expect(await listTimes()).toEqual(times)
  }
})

test('samples of an earlier version that are moved while a batch is packed are kept', async () => {
  const owners = ['a', 'b', 'c'].map(makeOwner)
  for (const owner of owners) await store(owner, closed - DAY_MS)
  const former = { ownerType: 'client' as const, componentId: '', type: 'telemetry' as const, name: 'a' }
  await storeFormerSamples(database, tenantNumber, [
    { ...former, ownerId: 'b', time: closed + 1, messageId: 1n, value: 1 },
  ])
  await store(owners[0]!, closed)
  await store(owners[2]!, closed + 2)
  const move = () => moveFormerSamples({ ...database, log, rowTables: createRowTables() })
  await pack(afterStatement(database.db, 3, move))
  await move()
  await pack()
  expect(await listTimes()).toEqual([...owners.map(() => closed - DAY_MS), closed, closed + 1, closed + 2])
})

test('a repeat that arrives at any moment of packing is not stored, and nothing waits for a late message', async () => {
  const owner = makeOwner('a')
  const stored: number[] = []
  for (const number of STATEMENTS) {
    const time = closed + number
    await store(owner, time)
    let repeat: Promise<unknown> | undefined
    const repeatOne = async () => {
      repeat = store(owner, time).then((done) => stored.push(done.stored.size))
      // It may wait for this transaction, but another message does not.
      await Promise.race([repeat, untilBlocked(database.pool)])
      await store(makeOwner('other'), time)
    }
    await pack(afterStatement(database.db, number, repeatOne))
    await repeat
  }
  await pack()
  expect(stored.every((count) => count === 0)).toBe(true)
  const times = (await listPackedPieces(database.pool, tenantNumber))
    .filter(({ ownerId }) => ownerId === 'a')
    .flatMap((piece) => [...piece.times])
  expect(times).toEqual(STATEMENTS.map((number) => closed + number))
})

test('a transaction packs a limited number of streams, with few statements', async () => {
  const owners = Array.from({ length: 60 }, (_, index) => makeOwner(`o${index}`))
  for (const owner of owners) await store(owner, closed)
  let statements = 0
  const counting = database.db.withPlugin({
    transformQuery: ({ node }) => {
      statements++
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  })
  const limits = {
    rows: 20_000,
    cells: 250_000,
    streams: 20,
    pieceRows: 25_000,
    pieceCells: 500_000,
    merged: MERGE_LIMITS,
  }
  await pack(counting, limits)
  const { rows } = await database.pool.query(
    'select count(*)::int as count from packed_rows group by xmin::text order by 1',
  )
  expect(rows.map(({ count }) => count)).toEqual([20, 20, 20])
  expect(statements).toBeLessThan(40)
})

test('a transaction packs few pieces again, however many of them late messages touch', async () => {
  const owner = makeOwner('a')
  const limits = { rows: 100, cells: 30, streams: 100, pieceRows: 10, pieceCells: 100, merged: MERGE_LIMITS }
  await store(owner, ...Array.from({ length: 100 }, (_, index) => closed + index * 10))
  await pack(database.db, limits)
  await store(owner, ...Array.from({ length: 10 }, (_, index) => closed + index * 100 + 5))
  await pack(database.db, limits)
  const { rows } = await database.pool.query(
    'select count(*)::int as count from packed_rows group by xmin::text order by 1',
  )
  expect(rows.length).toBeGreaterThanOrEqual(5)
  expect(await listTimes()).toHaveLength(110)
})

const sum = async (owner: Owner, to = closed + DAY_MS) => {
  const [series] = await listSeriesNamed(database.db, [owner], ['a'])
  const pages = bucketPages(
    database.db,
    { series: series!, modelId: null, from: closed, to },
    { aggregation: { type: 'sum', timeZone: 'UTC' }, format: timedValues, limit: 10 },
  )
  const values: number[] = []
  for await (const { pieces } of pages)
    for (const [, value] of readPoints<[number, number]>(pieces)) values.push(value)
  return values
}

test('a query that began before rows are packed finds them, as their partition stays until it ends', async () => {
  await store(makeOwner('a'), closed, closed + 1)
  const countAll = (tx: typeof database.db) =>
    sql<{ count: number }>`select count(*)::int as count from sample_rows`
      .execute(tx)
      .then(({ rows }) => rows[0]!.count)
  await readSnapshot(database.db, async (tx) => {
    await sql`select from packed_rows`.execute(tx)
    await pack()
    expect(await listPartitions(database.pool)).toContain(dayPartition(dayNumber(closed)))
    expect(await countAll(tx)).toBe(2)
  })
  await pack()
  expect(await listPartitions(database.pool)).not.toContain(dayPartition(dayNumber(closed)))
  expect(await sum(makeOwner('a'))).toEqual([2 * closed + 1])
})

test('a query that began before a partition gets rows of the default partition finds them', async () => {
  const owner = makeOwner('a')
  await store(owner, closed)
  await pack()
  await sql`insert into sample_rows select ${tenantNumber}::int, number, to_timestamp(${closed + 7}::float8 / 1000), 7, '{7}', null
    from streams`.execute(database.db)
  await readSnapshot(database.db, async (tx) => {
    await sql`select from packed_rows`.execute(tx)
    await expect(createDayPartition(database.pool, dayNumber(closed))).rejects.toSatisfy(isTimeout)
    const { rows } = await sql`select from sample_rows where time >= ${new Date(closed)}`.execute(tx)
    expect(rows).toHaveLength(1)
  })
})

test('queries read before there are any samples', async () => {
  await database.pool.query('drop table if exists sample_rows_rest')
  expect(await readSnapshot(database.db, () => Promise.resolve('read'))).toBe('read')
})

test('one bucket may have any number of pieces and rows', async () => {
  const owner = makeOwner('a')
  const times = Array.from({ length: 620 }, (_, index) => closed + index)
  await store(owner, ...times)
  await pack(database.db, {
    rows: 1000,
    cells: 10_000,
    streams: 9,
    pieceRows: 1,
    pieceCells: 9,
    merged: MERGE_LIMITS,
  })
  expect(await listPackedPieces(database.pool, tenantNumber)).toHaveLength(620)
  const now = Date.now()
  await store(owner, now)
  const total = times.reduce((all, time) => all + time, now)
  expect(await sum(owner, now + 1)).toEqual([total])
})

test('a packed message is found by a time that is near, as messages timed by their arrival have another one', async () => {
  const owner = makeOwner('a')
  await store(owner, closed)
  const place = { tenantNumber, clientId: 'a', messageId: BigInt(closed) }
  const near = { ...place, sinceMs: closed - 600_000 + 9000, untilMs: closed + 600_000 + 9000 }
  const list = (number: number, wanted: typeof near) =>
    listStoredMessages(afterStatement(database.db, number, pack), [wanted]).then(({ size }) => size)
  // It is packed before or after the first statement.
  for (const number of [1, 9]) expect(await list(number, near)).toBe(1)
  expect(await list(9, { ...near, sinceMs: closed + 1 })).toBe(0)
  expect(await list(9, { ...near, messageId: 5n })).toBe(0)
})

test('late messages read a filter, and the messages of a piece only where it may have them', async () => {
  const owner = makeOwner('a')
  const { rows } = await store(owner, ...Array.from({ length: 2000 }, (_, index) => closed + index))
  await pack()
  const wanted = rows.map(describeRow)
  expect((await findPackedMessages(database.db, wanted)).size).toBe(2000)
  let candidates = 0
  for (let id = 1n; id <= 60n; id++) {
    const missing = { ...wanted[1000]!, messageId: id * 0x9e3779b97f4a7c15n }
    candidates += (
      await listCandidates(database.db, [{ ...missing, messageId: BigInt.asIntN(64, missing.messageId) }])
    ).length
  }
  expect(candidates).toBeLessThan(12)
})
