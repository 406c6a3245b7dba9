/** The DuckDB queries of the guide return the same sums from the lake as the API. [docs/lake#queries] */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { root } from '../../../test/harness/example-programs.ts'
import { testLog } from '../../../test/harness/log.ts'
import { insertClient, storeSamples } from '../../../test/harness/telemetry.ts'
import { temporaryDirectory, type TemporaryDirectory } from '../../../test/harness/temporary-directory.ts'
import { timeseriesApi } from '../../../test/harness/timeseries-api.ts'
import { createQueries } from '../../database/queries.ts'
import { packSamples } from '../storage/packed/pack-samples.ts'
import { openLake } from './open-lake.ts'
import { writeLake } from './write-lake.ts'

/** An installation may lack DuckDB, because it has native code. */
const duckdb = await import('@duckdb/node-api').catch((error: Error) => {
  // oxlint-disable-next-line no-console -- a skipped test says why
  console.warn(`skipped: DuckDB is not installed (${error.message.split('\n')[0]})`)
  return undefined
})

const start = Date.parse('2026-11-20T00:00:00Z')
const HOURS = 72

let database: TestDatabase
let directory: TemporaryDirectory
beforeAll(async () => {
  database = await testDatabase()
  directory = await temporaryDirectory()
  for (const tenant of ['default', 'other']) {
    const tank = await insertClient(database, tenant, 'tank-1')
    await storeSamples(
      database,
      tank,
      Array.from({ length: HOURS * 4 }, (_, index) => [
        { name: 'level', time: start + index * 900_000, value: Math.sin(index) * 1e6 },
        { name: 'state', time: start + index * 900_000, value: index % 3 === 0 ? 'öpen "1"' : { index } },
      ]).flat(),
    )
  }
  const nowMs = start + 80 * 3_600_000
  await packSamples({ ...database, log: testLog }, { nowMs })
  await using lake = await openLake({ folder: directory.path })
  const queries = createQueries(database.queryPool)
  const { signal } = new AbortController()
  await writeLake({ ...database, log: testLog, queries, lake }, { signal, now: () => nowMs })
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await directory[Symbol.asyncDispose]()
})

async function readGuide(): Promise<string[]> {
  const text = await readFile(join(root, 'docs/lake.md'), 'utf8')
  return [...text.matchAll(/```sql\n(.*?)```/gs)].map(([, sql]) =>
    sql!.replaceAll('/srv/lake', directory.path.replaceAll("'", "''")),
  )
}

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await duckdb!.DuckDBInstance.create(':memory:')
  try {
    const connection = await instance.connect()
    await connection.run("set timezone = 'UTC'")
    return (await connection.runAndReadAll(sql)).getRowObjectsJson()
  } finally {
    instance.closeSync()
  }
}

const ask = async (body: object) => {
  const request = {
    assetId: 'tank-1',
    searchSpanFrom: new Date(start).toISOString(),
    searchSpanTo: new Date(start + HOURS * 3_600_000).toISOString(),
    ...body,
  }
  return (await timeseriesApi(database).post('default', '/v1/timeseries/get', request)).body.items
}

test.skipIf(!duckdb)('averages of hours', async () => {
  const [averages] = await readGuide()
  const rows = await query(averages!)
  const [item] = await ask({
    timeseriesName: ['level'],
    aggregationType: 'avg',
    aggregationInterval: 'PT1H',
  })
  expect(rows).toHaveLength(HOURS)
  rows.forEach(({ hour, average, samples }, index) => {
    const { timestamp, value } = item.items[index]
    expect(Date.parse(String(hour))).toBe(Date.parse(timestamp))
    expect(average).toBeCloseTo(value, 6)
    expect(Number(samples)).toBe(4)
  })
})

test.skipIf(!duckdb)('texts and objects', async () => {
  const [, states] = await readGuide()
  const rows = await query(states!)
  const [item] = await ask({ timeseriesName: ['state'] })
  const values = item.items.map(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  )
  expect(rows.map(({ state }) => String(state).replace(/: /g, ':'))).toEqual(values)
})

test.skipIf(!duckdb)('sums and counts of each day and tenant', async () => {
  const rows = await query(`
    select day::varchar as day, sum(value) as sum, count(value) as count
    from read_parquet('${directory.path}/telemetry/*/*/samples.parquet', hive_partitioning = true)
    where tenant = 'default' group by day order by day`)
  const [sums] = await ask({ timeseriesName: ['level'], aggregationType: 'sum', aggregationInterval: 'P1D' })
  expect(rows.map(({ day, count }) => [day, Number(count)])).toEqual([
    ['2026-11-20', 96],
    ['2026-11-21', 96],
    ['2026-11-22', 96],
  ])
  rows.forEach(({ sum }, index) => expect(sum).toBeCloseTo(sums.items[index].value, 4))
})
