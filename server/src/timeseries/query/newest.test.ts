/** The newest samples of series, where the known hours are exact, too late, or of streams with rare signals. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { storeFormerSamples } from '../../../test/harness/former-samples.ts'
import { rounds } from '../../../test/harness/rounds.ts'
import { insertTenant, storeSamples } from '../../../test/harness/telemetry.ts'
import { hasSampleSince } from './has-sample-since.ts'
import { listLastValues } from './last-known.ts'
import { latestSamples } from './latest.ts'
import { findNewestOfNamed, type SignalOfOwners } from './newest-of-named.ts'
import { DAY_MS } from '../storage/partition-names.ts'
import { HOUR_MS } from '../storage/last-hours.ts'
import type { Owner } from '../storage/series-key.ts'
import { listSeriesNamed } from '../storage/series.ts'

let database: TestDatabase
let tenants = 0
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const now = Date.now()
const names = ['a', 'b', 'c']
const anyTime = fc.oneof(
  fc.integer({ min: -5, max: 5 }).map((hours) => now + hours * HOUR_MS),
  fc.integer({ min: -2000, max: 2 }).map((days) => now + days * DAY_MS),
  fc.integer({ min: -3, max: 3 }).map((ms) => Math.floor(now / HOUR_MS) * HOUR_MS + ms),
  fc.constantFrom(Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z'), -1, 0),
)
const sample = fc.record({
  name: fc.constantFrom(...names),
  time: anyTime,
  value: fc.oneof(fc.integer(), fc.constantFrom<unknown>('on', false, { speed: 3 }, { speed: null }, [])),
  isDeleted: fc.boolean(),
})

test('are those of a list in memory, whatever was deleted since', async () => {
  const property = fc.asyncProperty(
    fc.uniqueArray(sample, { selector: ({ name, time }) => `${name} ${time}`, maxLength: 25 }),
    fc.array(anyTime, { minLength: 1, maxLength: 5 }),
    async (samples, instants) => {
      const tenantNumber = await insertTenant(database, `t${++tenants}`)
      const owner = { tenantNumber, ownerType: 'client', ownerId: 'p' } as const
      await storeSamples(database, owner, samples)
      for (const { time, name } of samples.filter(({ isDeleted }) => isDeleted))
        await sql`delete from sample_rows r using series s where r.tenant_number = ${tenantNumber} and s.name = ${name}
          and s.stream_number = r.stream_number and r.time = ${new Date(time)}
          and (numbers[slot] is not null or others -> slot::text is not null)`.execute(database.db)
      const left = samples.filter(({ isDeleted }) => !isDeleted)
      const newest = (name: string, untilMs = Infinity) =>
        left
          .filter((one) => one.name === name && one.time <= untilMs)
          .reduce<{ time: number; value: unknown } | undefined>(
            (best, { time, value }) => (best && best.time > time ? best : { time, value }),
            undefined,
          )
      const series = await listSeriesNamed(database.db, [owner], names)
      const latest = await latestSamples(
        database.db,
        tenantNumber,
        series.map(({ number }) => number),
      )
      for (const { name, number } of series) expect(latest.get(number)).toEqual(newest(name))
      await expectNewestOfNamed(owner, newest)
      await expectLastValues(owner, instants, newest)
      for (const since of instants) {
        const { rows } = await sql<{ name: string; found: boolean }>`
          select s.name, ${hasSampleSince({ tenantNumber, series: 's' }, sql`to_timestamp(${since}::float8 / 1000)`)} as found
          from series s where s.tenant_number = ${tenantNumber}`.execute(database.db)
        for (const { name, found } of rows)
          expect(found).toBe(left.some((one) => one.name === name && one.time > since))
      }
    },
  )
  await fc.assert(property, { numRuns: rounds(200, 25) })
})

/** A value is the newest one; of the other series it says where they are to be searched. */
async function expectNewestOfNamed(
  { tenantNumber, ...owner }: Owner,
  newest: (name: string) => { time: number; value: unknown } | undefined,
) {
  const { db } = database
  const signals = names.map((name) => signalOf(owner, name))
  const found = await findNewestOfNamed(db, tenantNumber, signals)
  for (const [index, name] of names.entries()) {
    const { point, place } = found[index]!.get(owner.ownerId) ?? {}
    const searched = place && (await latestSamples(db, tenantNumber, [place.number])).get(place.number)
    expect(point ?? searched).toEqual(newest(name))
  }
}

const signalOf = ({ ownerType, ownerId }: Omit<Owner, 'tenantNumber'>, name: string): SignalOfOwners => ({
  ownerType,
  ownerIds: [ownerId],
  componentId: '',
  type: 'telemetry',
  name,
})

test('small values of the last hour are found with their series, others are left to the search', async () => {
  const { db } = database
  const tenantNumber = await insertTenant(database, 'small')
  const owner = { tenantNumber, ownerType: 'client', ownerId: 'p "{,}\\' } as const
  const small = { number: 1, nan: NaN, on: true, text: 'x'.repeat(80), object: { speed: 3 } }
  const left = { large: 'x'.repeat(200), packed: 1 }
  const samples = Object.entries({ ...small, ...left }).map(([name, value]) => ({
    name,
    value,
    time: name === 'packed' ? now - 2 * DAY_MS : now,
  }))
  await storeSamples(database, owner, samples)
  const read = async () => {
    const signals = samples.map(({ name }) => signalOf(owner, name))
    const found = await findNewestOfNamed(db, tenantNumber, [...signals, signalOf(owner, 'unknown')])
    expect(found.pop()!.size).toBe(0)
    return found.map((one) => one.get(owner.ownerId)!)
  }
  const points = (await read()).map(({ point }) => point && [point.time, point.value])
  const values = [1, null, true, small.text, small.object].map((value) => [now, value])
  expect(points).toEqual([...values, undefined, undefined])
  // Samples of an earlier version may be newer than the last hour.
  const former = {
    ...signalOf(owner, 'number'),
    ownerId: owner.ownerId,
    time: now + DAY_MS,
    messageId: 1n,
    value: 2,
  }
  await storeFormerSamples(database, tenantNumber, [former])
  const series = await read()
  expect(series.map(({ point }) => point)).toEqual(samples.map(() => undefined))
  const { number } = series[0]!.place!
  expect((await latestSamples(db, tenantNumber, [number])).get(number)?.value).toBe(2)
})

async function expectLastValues(
  owner: Parameters<typeof storeSamples>[1],
  instants: number[],
  newest: (name: string, untilMs: number) => { time: number; value: unknown } | undefined,
) {
  const key = (name: string) => ({ ...owner, componentId: '', type: 'telemetry', name }) as const
  const field = (name: string) => ({ ...key('speed'), componentId: name }) as const
  const wanted = instants.flatMap((timeMs) =>
    names.flatMap((name) => [
      { key: key(name), timeMs },
      { key: field(name), timeMs },
    ]),
  )
  const find = await listLastValues(database.db, wanted)
  for (const timeMs of instants)
    for (const name of names) {
      const expected = newest(name, timeMs)
      expect(find(key(name), timeMs)).toEqual(expected && { timeMs: expected.time, value: expected.value })
      const inObject = (expected?.value as { speed?: unknown } | undefined)?.speed
      expect(find(field(name), timeMs)?.value).toEqual(inObject)
    }
}

test('a rare signal is found without reading all rows of its busy stream', async () => {
  const tenantNumber = await insertTenant(database, 'rare')
  const owner = { tenantNumber, ownerType: 'client', ownerId: 'p' } as const
  const start = Math.floor(now / DAY_MS) * DAY_MS - 2 * DAY_MS
  await storeSamples(database, owner, [
    { name: 'rare', time: start, value: 1 },
    ...Array.from({ length: 4000 }, (_, index) => ({
      name: 'busy',
      time: start + index * 30_000,
      value: index,
    })),
  ])
  const [rare] = await listSeriesNamed(database.db, [owner], ['rare'])
  await database.db.connection().execute(async (db) => {
    const countRead = async () => {
      await sql`select pg_stat_force_next_flush()`.execute(db)
      const { rows } = await sql<{ count: number }>`
        select sum(idx_tup_fetch)::int as count from pg_stat_user_tables where relname like 'sample_rows_%'`.execute(
        db,
      )
      return rows[0]!.count
    }
    const before = await countRead()
    expect((await latestSamples(db, tenantNumber, [rare!.number])).get(rare!.number)).toEqual({
      time: start,
      value: 1,
    })
    const key = { ...owner, componentId: '', type: 'telemetry', name: 'rare' } as const
    expect((await listLastValues(db, [{ key, timeMs: now }]))(key, now)).toEqual({ timeMs: start, value: 1 })
    const { rows } = await sql<{ found: boolean }>`
      select ${hasSampleSince({ tenantNumber, series: 's' }, sql`to_timestamp(${start + HOUR_MS}::float8 / 1000)`)} as found
      from series s where s.number = ${rare!.number}`.execute(db)
    expect(rows).toEqual([{ found: false }])
    expect((await countRead()) - before).toBeLessThan(500)
  })
})
