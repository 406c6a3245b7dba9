/** Partitions of samples: one for each day, and one for all other times. [docs/telemetry#retention] */
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { testLog } from '../../../test/harness/log.ts'
import { untilBlocked } from '../../../test/harness/until-blocked.ts'
import { insertTenant, storeSamples } from '../../../test/harness/telemetry.ts'
import {
  afterPartition,
  beforePartition,
  DAY_MS,
  dayNumber,
  dayPartition,
  restPartition,
} from './partition-names.ts'
import { createDayPartition } from './create-partition.ts'
import { isTimeout } from './partition-lock.ts'
import { dropExpiredPartitions, listPartitions, prepareUpcomingPartitions } from './partitions.ts'
import { createRowTables, ensurePartitions } from './row-tables.ts'
import type { Owner } from './series-key.ts'

let database: TestDatabase
let owner: Owner
let tenants = 0
beforeEach(async () => {
  database = await testDatabase()
  owner = { tenantNumber: await insertTenant(database, `t${++tenants}`), ownerType: 'client', ownerId: 'p' }
})
afterEach(() => database[Symbol.asyncDispose]())

const now = Date.now()
const today = dayNumber(now)
const name = dayPartition
const rest = () => restPartition
const wide = [afterPartition, beforePartition, restPartition]
const rowsAt = (...times: number[]) => times.map((timeMs) => ({ timeMs }))
const store = (...times: (string | number)[]) =>
  storeSamples(
    database,
    owner,
    times.map((time) => ({ name: 's', time, value: 1 })),
  )

/** Table → number of samples of this tenant in it. */
async function places(): Promise<Record<string, number>> {
  const { rows } = await sql<{ place: string; count: number }>`
    select tableoid::regclass::text as place, count(*)::int as count from sample_rows
    where tenant_number = ${owner.tenantNumber} group by 1`.execute(database.db)
  return Object.fromEntries(rows.map(({ place, count }) => [place, count]))
}

test('days from 2025 to 2 ahead have partitions of their own, other times share some', async () => {
  await store(now, '2025-01-01T00:00:00Z', now + 2 * DAY_MS)
  await store('2024-12-31T23:59:59.999Z', now + 3 * DAY_MS, '0001-01-01T00:00:00Z')
  await store('2035-12-31T23:59:59.999Z', '2036-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z')
  expect(await places()).toEqual({
    [name(today)]: 1,
    sample_rows_20250101: 1,
    [name(today + 2)]: 1,
    [beforePartition]: 2,
    [afterPartition]: 2,
    [rest()]: 2,
  })
})

test('the first and the last millisecond of a day are in its partition', async () => {
  await store(today * DAY_MS, (today + 1) * DAY_MS - 1)
  expect(await places()).toEqual({ [name(today)]: 2 })
})

test('samples that were stored long before their day move into its partition', async () => {
  const later = now + 30 * DAY_MS
  await store(later, later + 1, later + DAY_MS, now + 300 * DAY_MS)
  expect(await places()).toEqual({ [rest()]: 4 })
  await ensurePartitions(database.pool, createRowTables(), rowsAt(later), later)
  expect(await places()).toEqual({ [name(dayNumber(later))]: 2, [rest()]: 2 })
  const { stored } = await storeSamples(database, owner, [
    { name: 's', time: later, value: 5, messageId: 99n },
  ])
  expect(stored.size).toBe(1)
})

test('many processes create the same partitions once, while others insert', async () => {
  const times = Array.from({ length: 10 }, (_, index) => now - index * DAY_MS)
  await Promise.all(
    Array.from({ length: 6 }, async (_, process) => {
      for (const time of times) await ensurePartitions(database.pool, createRowTables(), rowsAt(time))
      await store(...times.map((time) => time - (time % DAY_MS) + process))
    }),
  )
  expect(await places()).toEqual(Object.fromEntries(times.map((time) => [name(dayNumber(time)), 6])))
})

const noDatabase = {
  connect: () => Promise.reject(new Error('the database was asked')),
  query: () => Promise.reject(new Error('the database was asked')),
} as unknown as typeof database.pool

test('a long query delays the partition of a day once, and loses no sample', async () => {
  await store('0001-01-01T00:00:00Z')
  const tables = createRowTables()
  await database.db.transaction().execute(async (tx) => {
    await sql`select from ${sql.table(rest())}`.execute(tx)
    await ensurePartitions(database.pool, tables, rowsAt(now), now)
    // No query of the database is needed, which would wait for the long query again.
    await ensurePartitions(noDatabase, tables, rowsAt(now), now + 1000)
  })
  await ensurePartitions(database.pool, tables, rowsAt(now), now + 60_000)
  await store(now)
  expect(await places()).toEqual({ [name(today)]: 1, [beforePartition]: 1 })
})

test('an open insert does not delay the creation of a partition, nor the other way round', async () => {
  await store(now)
  await database.db.transaction().execute(async (tx) => {
    await sql`insert into sample_rows values (${owner.tenantNumber}, 1, ${new Date(now)}, 77, '{1}')`.execute(
      tx,
    )
    await ensurePartitions(database.pool, createRowTables(), rowsAt(now - DAY_MS), now)
  })
  await store(now - DAY_MS)
  expect(await places()).toEqual({ [name(today)]: 2, [name(today - 1)]: 1 })
})

test('messages of all days of history make few partitions at once, and none is lost', async () => {
  const times = Array.from({ length: 40 }, (_, index) => now - index * DAY_MS)
  await ensurePartitions(database.pool, createRowTables(), rowsAt(...times))
  expect(await listPartitions(database.pool)).toEqual(
    [3, 2, 1, 0].map((back) => name(today - back)).concat(wide),
  )
  await store(...times)
  await store(times[20]! + 1)
  expect(Object.values(await places()).reduce((sum, count) => sum + count)).toBe(41)
  expect((await places())[name(today - 20)]).toBe(2)
})

test('a default partition that takes too long to read delays the partition of a day, and loses no sample', async () => {
  await store(now - DAY_MS)
  await sql`insert into sample_rows_rest select ${owner.tenantNumber}::int, 1, ${new Date(now)}::timestamptz, i, null, null
    from generate_series(1, 1000) i`.execute(database.db)
  await expect(createDayPartition(database.pool, today, 1)).rejects.toSatisfy(isTimeout)
  await store(now - DAY_MS + 1)
  await createDayPartition(database.pool, today)
  expect(await places()).toEqual({ [name(today)]: 1000, [name(today - 1)]: 2 })
})

const keepDays = (days: number, tenantNumber = owner.tenantNumber) =>
  database.db
    .updateTable('tenants')
    .set({ telemetry_retention_days: days })
    .where('number', '=', tenantNumber)
    .execute()

test('retention drops whole days and deletes what is old elsewhere; without retention all is kept', async () => {
  const times = [now, now - 9 * DAY_MS, now - 10 * DAY_MS, now - 11 * DAY_MS, now - 300 * DAY_MS]
  await store(...times, '0001-01-01T00:00:00Z', '9999-01-01T00:00:00Z')
  await dropExpiredPartitions(database.pool, testLog, now)
  expect(Object.values(await places())).toHaveLength(7)
  await keepDays(10)
  await dropExpiredPartitions(database.pool, testLog, now)
  expect(await places()).toEqual({
    [name(today)]: 1,
    [name(today - 9)]: 1,
    [name(today - 10)]: 1,
    [afterPartition]: 1,
  })
  const days = [today - 10, today - 9, today].map(name)
  expect(await listPartitions(database.pool)).toEqual([...days, ...wide])
})

test('a day that another tenant keeps loses only the rows of those that do not', async () => {
  const old = now - 20 * DAY_MS
  await store(old, now)
  const other: Owner = { ...owner, tenantNumber: await insertTenant(database, 'keeps') }
  await storeSamples(database, other, [{ name: 's', time: old, value: 1 }])
  await keepDays(10)
  await dropExpiredPartitions(database.pool, testLog, now)
  expect(await places()).toEqual({ [name(today)]: 1 })
  expect(await listPartitions(database.pool)).toContain(name(today - 20))
  await keepDays(19, other.tenantNumber)
  await dropExpiredPartitions(database.pool, testLog, now)
  expect(await listPartitions(database.pool)).not.toContain(name(today - 20))
})

test('retention that waits for a query does not keep it from the partition', async () => {
  await store(now - 20 * DAY_MS)
  await keepDays(10)
  const partition = name(today - 20)
  const { dropping } = await database.db.transaction().execute(async (tx) => {
    // As queries do before they read: see `readSnapshot`.
    await sql`lock table only sample_rows in access share mode`.execute(tx)
    const begun = dropExpiredPartitions(database.pool, testLog, now)
    await untilBlocked(database.pool)
    await sql`lock table ${sql.table(partition)} in access share mode nowait`.execute(tx)
    return { dropping: begun }
  })
  await dropping
  expect(await listPartitions(database.pool)).not.toContain(partition)
})

test('a process that does not know of a drop still stores late samples', async () => {
  const tables = createRowTables()
  await ensurePartitions(database.pool, tables, rowsAt(now - 20 * DAY_MS), now)
  await keepDays(10)
  await dropExpiredPartitions(database.pool, testLog, now)
  await ensurePartitions(database.pool, tables, rowsAt(now - 20 * DAY_MS), now)
  await sql`insert into sample_rows values (${owner.tenantNumber}, 1, ${new Date(now - 20 * DAY_MS)}, 77, '{1}')`.execute(
    database.db,
  )
  expect(await places()).toEqual({ [rest()]: 1 })
  await store(now - 20 * DAY_MS)
  expect(await places()).toEqual({ [name(today - 20)]: 2 })
})

test("tomorrow's partition is created in advance, if there is today's", async () => {
  await prepareUpcomingPartitions(database.pool, testLog, now)
  expect(await listPartitions(database.pool)).toEqual([])
  await store(now)
  await prepareUpcomingPartitions(database.pool, testLog, now)
  await prepareUpcomingPartitions(database.pool, testLog, now)
  expect(await listPartitions(database.pool)).toEqual([name(today), name(today + 1), ...wide])
})
