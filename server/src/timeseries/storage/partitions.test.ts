/** Partitions of samples: one for each day, and one for all other times. [docs/telemetry#retention] */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { testLog } from '../../../test/harness/log.ts'
import { insertTenant, storeSamples } from '../../../test/harness/telemetry.ts'
import { createPartitions, ensurePartitions } from './ensure-partitions.ts'
import { DAY_MS, dayDigits, dayNumber } from './partition-names.ts'
import { dropExpiredPartitions, prepareUpcomingPartitions } from './partitions.ts'
import type { Owner } from './series-key.ts'

let database: TestDatabase
let owner: Owner
let tenants = 0
beforeAll(async () => {
  database = await testDatabase()
})
beforeEach(async () => {
  owner = { tenantNumber: await insertTenant(database, `t${++tenants}`), ownerType: 'client', ownerId: 'p' }
})
afterAll(() => database[Symbol.asyncDispose]())

const now = Date.now()
const today = dayNumber(now)
const name = (day: number) => `samples_${owner.tenantNumber}_${dayDigits(day)}`
const rest = () => `samples_${owner.tenantNumber}_rest`
const batchAt = (...times: number[]) => ({
  tenantNumber: times.map(() => owner.tenantNumber),
  time: times,
  value: times.map(() => 1),
})
const store = (...times: (string | number)[]) =>
  storeSamples(
    database,
    owner,
    times.map((time) => ({ name: 's', time, value: 1 })),
  )

/** Table → number of samples of this tenant in it. */
async function places(): Promise<Record<string, number>> {
  const { rows } = await sql<{ place: string; count: number }>`
    select tableoid::regclass::text as place, count(*)::int as count from samples
    where tenant_number = ${owner.tenantNumber} group by 1`.execute(database.db)
  return Object.fromEntries(rows.map(({ place, count }) => [place, count]))
}

test('days from 400 back to 2 ahead have partitions of their own, all other times share one', async () => {
  await store(now, now - 400 * DAY_MS, now + 2 * DAY_MS)
  await store(now - 401 * DAY_MS, now + 3 * DAY_MS, '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z')
  expect(await places()).toEqual({
    [name(today)]: 1,
    [name(today - 400)]: 1,
    [name(today + 2)]: 1,
    [rest()]: 4,
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
  await ensurePartitions(database.pool, createPartitions(), batchAt(later), later)
  expect(await places()).toEqual({ [name(dayNumber(later))]: 2, [rest()]: 2 })
  const repeats = await storeSamples(database, owner, [{ name: 's', time: later, value: 5, messageId: 99n }])
  expect(repeats).toEqual({ repeats: [] })
})

test('many processes create the same partitions once, while others insert', async () => {
  const times = Array.from({ length: 10 }, (_, index) => now - index * DAY_MS)
  await Promise.all(
    Array.from({ length: 6 }, async (_, process) => {
      await ensurePartitions(database.pool, createPartitions(), batchAt(...times))
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
  const partitions = createPartitions()
  await database.db.transaction().execute(async (tx) => {
    await sql`select from ${sql.table(rest())}`.execute(tx)
    await ensurePartitions(database.pool, partitions, batchAt(now), now)
    // No query of the database is needed, which would wait for the long query again.
    await ensurePartitions(noDatabase, partitions, batchAt(now), now + 1000)
  })
  await ensurePartitions(database.pool, partitions, batchAt(now), now + 60_000)
  await store(now)
  expect(await places()).toEqual({ [name(today)]: 1, [rest()]: 1 })
})

test('an open insert does not delay the creation of a partition, nor the other way round', async () => {
  await store(now)
  await database.db.transaction().execute(async (tx) => {
    await sql`insert into samples values (${owner.tenantNumber}, 1, ${new Date(now)}, 77, 1)`.execute(tx)
    await ensurePartitions(database.pool, createPartitions(), batchAt(now - DAY_MS), now)
  })
  await store(now - DAY_MS)
  expect(await places()).toEqual({ [name(today)]: 2, [name(today - 1)]: 1 })
})

test('retention drops whole days and deletes what is old elsewhere; without retention all is kept', async () => {
  const times = [now, now - 9 * DAY_MS, now - 10 * DAY_MS, now - 11 * DAY_MS, now - 300 * DAY_MS]
  await store(...times, '0001-01-01T00:00:00Z', '9999-01-01T00:00:00Z')
  await storeSamples(
    database,
    owner,
    times.map((time) => ({ name: 'o', time, value: 'x' })),
  )
  await dropExpiredPartitions(database.pool, testLog, now)
  expect(Object.values(await places())).toHaveLength(6)

  await database.db
    .updateTable('tenants')
    .set({ telemetry_retention_days: 10 })
    .where('number', '=', owner.tenantNumber)
    .execute()
  await dropExpiredPartitions(database.pool, testLog, now)
  expect(await places()).toEqual({
    [name(today)]: 1,
    [name(today - 9)]: 1,
    [name(today - 10)]: 1,
    [rest()]: 1,
  })
  const others = await sql`select from samples_other where tenant_number = ${owner.tenantNumber}`.execute(
    database.db,
  )
  expect(others.rows).toHaveLength(3)
})

test('a process that does not know of a drop still stores late samples', async () => {
  const partitions = createPartitions()
  await ensurePartitions(database.pool, partitions, batchAt(now - 20 * DAY_MS), now)
  await database.db
    .updateTable('tenants')
    .set({ telemetry_retention_days: 10 })
    .where('number', '=', owner.tenantNumber)
    .execute()
  await dropExpiredPartitions(database.pool, testLog, now)
  await ensurePartitions(database.pool, partitions, batchAt(now - 20 * DAY_MS), now)
  await sql`insert into samples values (${owner.tenantNumber}, 1, ${new Date(now - 20 * DAY_MS)}, 77, 1)`.execute(
    database.db,
  )
  expect(await places()).toEqual({ [rest()]: 1 })
  await store(now - 20 * DAY_MS)
  expect(await places()).toEqual({ [name(today - 20)]: 2 })
})

test("tomorrow's partitions are created in advance, for tenants that have today's", async () => {
  await store(now)
  await prepareUpcomingPartitions(database.pool, testLog, now)
  await prepareUpcomingPartitions(database.pool, testLog, now)
  const { rows } = await sql`select to_regclass(${name(today + 1)}) is not null as numbers,
    to_regclass(${`samples_other_${owner.tenantNumber}_${dayDigits(today + 1)}`}) is not null as others`.execute(
    database.db,
  )
  expect(rows).toEqual([{ numbers: true, others: false }])
})
