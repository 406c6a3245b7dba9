import { randomBytes } from 'node:crypto'
import type { QueryResult, UnknownRow } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { insertTenant, storeSamples } from '../../../test/harness/telemetry.ts'
import { countToastReads } from '../../../test/harness/toast-reads.ts'
import { listSeriesNamed } from '../storage/series.ts'
import { countReadable } from './count-readable.ts'
import { readRows, readSamples } from './read-rows.ts'

let database: TestDatabase
let tenants = 0
let owner: { tenantNumber: number; ownerType: 'client'; ownerId: string }
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(async () => {
  owner = { tenantNumber: await insertTenant(database, `t${++tenants}`), ownerType: 'client', ownerId: 'a' }
})

const time = Date.parse('2026-03-01T00:00:00Z')
async function select(name: string) {
  const [series] = await listSeriesNamed(database.db, [owner], [name])
  return { series: series!, modelId: null, from: time, to: time + 1000 }
}

/** @returns a database that collects the results of its statements */
function collectResults() {
  const results: QueryResult<UnknownRow>[] = []
  const db = database.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      results.push(result)
      return result
    },
  })
  return { db, results }
}

test('a span without samples is read as no row, so that the wait of its query stays limited', async () => {
  const { db, results } = collectResults()
  await storeSamples(database, owner, [{ name: 's', time: time - 1, value: 1 }])
  const limits = { rows: 10, bytes: 1000 }
  expect(await readSamples(db, await select('s'), { values: 'all', limits })).toMatchObject({
    times: new Float64Array(),
    messageIds: new BigInt64Array(),
    isCut: false,
  })
  expect(results.map(({ rows }) => rows.length)).toEqual([0])
})

test('samples of one time are read in parts, each within the limits', async () => {
  const values = Array.from({ length: 50 }, (_, index) => (index % 3 === 0 ? `text ${index}` : index))
  await storeSamples(database, owner, [
    ...values.map((value, index) => ({ name: 's', time, value, messageId: BigInt(index) })),
    { name: 's', time: time + 1, value: 7 },
  ])
  const { db, results } = collectResults()
  const { times, messageIds, column, to } = await readRows(db, await select('s'), 'all', {
    rows: 4,
    bytes: 1000,
  })
  expect(to).toBe(time + 1)
  expect([...times]).toEqual(values.map(() => time))
  expect([...messageIds]).toEqual(values.map((_, index) => BigInt(index)))
  const found: unknown[] = []
  for (const [index, row] of column.numberRows.entries()) found[row] = column.numbers[index]
  for (const [index, row] of column.otherRows.entries()) found[row] = JSON.parse(column.others[index]!)
  expect(found).toEqual(values)
  expect(results).toHaveLength(13)
})

test('a number is read without the large values of its message', async () => {
  await storeLarge(20)
  await database.db.transaction().execute(async (tx) => {
    const selection = await select('temperature')
    const reads = await countToastReads(tx, async () => {
      const limits = { rows: 100, bytes: 1e6 }
      expect((await readSamples(tx, selection, { values: 'all', limits })).times).toHaveLength(20)
    })
    expect(reads).toBe(0)
  })
})

const storeLarge = (count: number) =>
  storeSamples(
    database,
    owner,
    Array.from({ length: count }, (_, index) => [
      { name: 'temperature', time: time + index, value: index, messageId: BigInt(index) },
      {
        name: 'image',
        time: time + index,
        value: randomBytes(20_000).toString('hex'),
        messageId: BigInt(index),
      },
    ]).flat(),
  )

test('fewer samples are read at once where their objects are large', async () => {
  await storeLarge(20)
  await database.db.transaction().execute(async (tx) => {
    const [temperature, image] = [await select('temperature'), await select('image')]
    const reads = await countToastReads(tx, async () => {
      expect(await countReadable(tx, temperature, { size: 10_000 })).toBe(10_000)
      const images = await countReadable(tx, image, { size: 10_000 })
      expect(images).toBeGreaterThan(10)
      expect(images).toBeLessThan(1000)
      const after = { timeMs: time + 5, messageId: 5n }
      expect(await countReadable(tx, image, { size: 10_000, after })).toBe(images)
    })
    expect(reads).toBe(0)
  })
})
