/** Closed days as files. [docs/lake] */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { testLog } from '../../../test/harness/log.ts'
import { startS3Server } from '../../../test/harness/s3-server.ts'
import { insertClient, storeSamples, type TestSample } from '../../../test/harness/telemetry.ts'
import { temporaryDirectory } from '../../../test/harness/temporary-directory.ts'
import { createQueries } from '../../database/queries.ts'
import { parseLakeUrl } from '../../lib/lake-url.ts'
import { packSamples } from '../storage/packed/pack-samples.ts'
import type { Owner, SeriesType } from '../storage/series-key.ts'
import type { LakeStorage } from './lake-storage.ts'
import { deleteTenantFromLake, readManifest } from './manifest.ts'
import { openLake } from './open-lake.ts'
import { REWRITE_MS, writeLake } from './write-lake.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const start = Date.parse('2026-03-01T00:00:00Z')
const dayText = (day: number) => new Date(start + day * DAY_MS).toISOString().slice(0, 10)

let database: TestDatabase
const clients: Owner[] = []
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

async function makeTenant(id: string): Promise<Owner> {
  const client = await insertClient(database, id, 'pump')
  clients.push(client)
  return client
}

const store = (owner: Owner, ...samples: [day: number, name: string, value: unknown, type?: SeriesType][]) =>
  storeSamples(
    database,
    owner,
    samples.map(([day, name, value, type = 'telemetry'], index): TestSample => ({
      name,
      type,
      value,
      time: start + day * DAY_MS + index * 1000,
    })),
  )

async function run(lake: LakeStorage, nowMs: number, signal = new AbortController().signal) {
  await packSamples({ ...database, log: testLog }, { nowMs })
  const queries = createQueries(database.queryPool)
  return writeLake({ ...database, log: testLog, queries, lake }, { signal, now: () => nowMs })
}

interface Row {
  timeseries_name: string
  time: Date
  value: number | null
  value_json: string | null
}

async function readDay(lake: LakeStorage, tenant: string, day: number): Promise<unknown[] | undefined> {
  const bytes = await lake.read(`telemetry/tenant=${tenant}/day=${dayText(day)}/samples.parquet`)
  if (!bytes) return undefined
  const file = new Uint8Array(bytes).buffer
  const rows = (await parquetReadObjects({ file })) as unknown as Row[]
  return rows.map(({ timeseries_name: name, value, value_json: text }) => [name, value ?? JSON.parse(text!)])
}

const listDays = async (lake: LakeStorage, tenant: string) =>
  (await readManifest(lake, tenant)).days.map(({ day, values, isFinal }) => [day, values, isFinal ?? false])

/** When the days 0 and 1 are closed and the day 2 is not. */
const closed = start + 2 * DAY_MS + 9 * HOUR_MS
const later = (runs: number) => Date.now() + runs * REWRITE_MS + HOUR_MS

describe.each(['folder', 's3'])('in a %s', (kind) => {
  const stops: AsyncDisposable[] = []
  let lake: LakeStorage
  beforeAll(async () => {
    const place = kind === 's3' ? await startS3Server() : await temporaryDirectory()
    stops.push(place)
    lake = await openLake(parseLakeUrl('url' in place ? place.url : place.path))
    stops.push(lake)
  })
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop[Symbol.asyncDispose]()
  })

  test('closed days are written once, with the values sorted by series and time', async () => {
    const tenant = `sorted-${kind}`
    const pump = await makeTenant(tenant)
    await store(pump, [0, 'b', 1], [0, 'a', 'text'], [0, 'b', true], [1, 'a', { x: 1 }], [2, 'a', 5])
    await run(lake, closed)
    expect(await readDay(lake, tenant, 0)).toEqual([
      ['a', 'text'],
      ['b', 1],
      ['b', true],
    ])
    expect(await readDay(lake, tenant, 1)).toEqual([['a', { x: 1 }]])
    expect(await readDay(lake, tenant, 2)).toBeUndefined()
    expect(await listDays(lake, tenant)).toEqual([
      [dayText(0), 3, false],
      [dayText(1), 1, false],
    ])
    const { days } = await readManifest(lake, tenant)
    expect(days[0]!.bytes).toBe((await lake.read(`telemetry/tenant=${tenant}/${days[0]!.file}`))!.length)
    expect(await run(lake, closed)).toBe(0)
  })

  test('a day that changes is written again, though not at once; one without samples is deleted', async () => {
    const tenant = `changed-${kind}`
    const pump = await makeTenant(tenant)
    const property = 'propertyReported'
    await store(pump, [0, 'a', 1, property], [1, 'a', 2])
    await run(lake, closed)
    await store(pump, [0, 'late', 3, property])
    await run(lake, Date.now())
    expect(await readDay(lake, tenant, 0)).toEqual([['a', 1]])
    await run(lake, later(1))
    expect(await readDay(lake, tenant, 0)).toEqual([
      ['a', 1],
      ['late', 3],
    ])
    await database.pool.query(
      'delete from packed_rows where stream_number = (select number from streams where tenant_number = $1 and type = $2)',
      [pump.tenantNumber, property],
    )
    await run(lake, later(2))
    expect(await readDay(lake, tenant, 0)).toBeUndefined()
    expect(await listDays(lake, tenant)).toEqual([[dayText(1), 1, false]])
  })

  test('a day is not written again when a later day is added to its piece', async () => {
    const tenant = `merged-${kind}`
    const pump = await makeTenant(tenant)
    await store(pump, [0, 'a', 1], [0, 'a', 2])
    await run(lake, closed)
    const [before] = (await readManifest(lake, tenant)).days
    await store(pump, [3, 'a', 3])
    await run(lake, later(1))
    const { rows } = await database.pool.query('select row_count from packed_rows where tenant_number = $1', [
      pump.tenantNumber,
    ])
    expect(rows).toEqual([{ row_count: 3 }])
    expect((await readManifest(lake, tenant)).days).toEqual([
      before,
      expect.objectContaining({ day: dayText(3), values: 1 }),
    ])
    expect(await readDay(lake, tenant, 3)).toEqual([['a', 3]])
    expect(await run(lake, later(2))).toBe(0)
  })

  test('days of a database that was lost, or restored to an earlier state, stay', async () => {
    const tenant = `restored-${kind}`
    const pump = await makeTenant(tenant)
    await store(pump, [0, 'a', 1], [1, 'a', 2], [3, 'a', 3], [3, 'a', 4])
    await run(lake, later(0))
    await database.pool.query('delete from packed_rows where tenant_number = $1', [pump.tenantNumber])
    await database.pool.query('delete from lake_days where tenant_number = $1', [pump.tenantNumber])
    await store(pump, [1, 'a', 5], [3, 'a', 6])
    await run(lake, later(1))
    expect(await readDay(lake, tenant, 0)).toEqual([['a', 1]])
    expect(await readDay(lake, tenant, 1)).toEqual([['a', 5]])
    // The database has a part of the day.
    const both = [
      ['a', 3],
      ['a', 4],
    ]
    expect(await readDay(lake, tenant, 3)).toEqual(both)
    await store(pump, [3, 'b', 7])
    await run(lake, later(2))
    expect(await readDay(lake, tenant, 3)).toEqual([
      ['a', 6],
      ['b', 7],
    ])
  })

  test('a day past the retention stays', async () => {
    const tenant = `kept-${kind}`
    const pump = await makeTenant(tenant)
    await store(pump, [0, 'a', 1], [1, 'a', 2])
    await run(lake, closed)
    await database.pool.query('update tenants set telemetry_retention_days = 1 where id = $1', [tenant])
    await run(lake, closed + DAY_MS)
    await database.pool.query('delete from packed_rows where tenant_number = $1', [pump.tenantNumber])
    await database.pool.query('update tenants set telemetry_retention_days = null where id = $1', [tenant])
    await run(lake, later(3))
    expect(await readDay(lake, tenant, 0)).toEqual([['a', 1]])
    expect(await listDays(lake, tenant)).toEqual([
      [dayText(0), 1, true],
      [dayText(1), 1, true],
    ])
  })

  test('a manifest that cannot be read is made again', async () => {
    const tenant = `damaged-${kind}`
    const pump = await makeTenant(tenant)
    await store(pump, [0, 'a', 1])
    await run(lake, closed)
    const path = `telemetry/tenant=${tenant}/_manifest.json`
    await lake.write(
      path,
      (async function* () {
        yield Buffer.from('{"days": [')
      })(),
    )
    await run(lake, closed)
    expect(await listDays(lake, tenant)).toEqual([[dayText(0), 1, false]])
  })

  test('a tenant that is deleted leaves nothing', async () => {
    const tenant = `deleted-${kind}`
    const pump = await makeTenant(tenant)
    await store(pump, [0, 'a', 1])
    await run(lake, closed)
    // A run that ended between a file and its entry leaves such a file.
    const unlisted = `telemetry/tenant=${tenant}/day=2026-01-01/samples.parquet`
    await lake.write(unlisted, ReadableStream.from([Buffer.from('bytes')]))
    await database.pool.query('update tenants set deletion_started_at = now() where id = $1', [tenant])
    await deleteTenantFromLake(lake, tenant)
    expect(await lake.read(unlisted)).toBeUndefined()
    await run(lake, later(5))
    expect(await readDay(lake, tenant, 0)).toBeUndefined()
    expect(await lake.read(`telemetry/tenant=${tenant}/_manifest.json`)).toBeUndefined()
  })

  test('a day that cannot be written does not hold up the others', async () => {
    const tenant = `stuck-${kind}`
    const pump = await makeTenant(tenant)
    for (let day = 0; day < 7; day++) await store(pump, [day, 'a', day])
    const failing: LakeStorage = {
      ...lake,
      write: (path, content) =>
        path.includes(dayText(6)) ? Promise.reject(new Error('disk')) : lake.write(path, content),
    }
    await run(failing, later(10))
    expect((await listDays(lake, tenant)).map(([day]) => day)).toEqual([0, 1, 2, 3, 4, 5].map(dayText))
    await run(lake, later(10))
    expect(await listDays(lake, tenant)).toHaveLength(7)
  })

  test('an interrupted run leaves no part of a file, and the next run writes it', async () => {
    const tenant = `interrupted-${kind}`
    const pump = await makeTenant(tenant)
    await store(pump, [0, 'a', 1])
    const stopping = new AbortController()
    const failing: LakeStorage = {
      ...lake,
      write: (path, content) =>
        lake.write(
          path,
          (async function* () {
            for await (const chunk of content) {
              yield chunk
              if (path.includes(tenant)) stopping.abort(new Error('stopped'))
              stopping.signal.throwIfAborted()
            }
          })(),
        ),
    }
    await expect(run(failing, closed, stopping.signal)).rejects.toThrow('stopped')
    expect(await readDay(lake, tenant, 0)).toBeUndefined()
    await run(lake, closed)
    expect(await readDay(lake, tenant, 0)).toEqual([['a', 1]])
  })

  test('a file without its entry in the manifest is written again', async () => {
    const tenant = `unlisted-${kind}`
    const pump = await makeTenant(tenant)
    await store(pump, [0, 'a', 1])
    const failing: LakeStorage = {
      ...lake,
      write: (path, content) =>
        path.endsWith('.json') ? Promise.reject(new Error('no answer')) : lake.write(path, content),
    }
    await run(failing, closed)
    expect(await listDays(lake, tenant)).toEqual([])
    await store(pump, [0, 'b', 2])
    await run(lake, closed)
    expect(await readDay(lake, tenant, 0)).toEqual([
      ['a', 1],
      ['b', 2],
    ])
  })
})

test('files of an interrupted process are swept, and are no part of the lake', async () => {
  await using directory = await temporaryDirectory()
  await using lake = await openLake({ folder: directory.path })
  await lake.write(
    'a/b',
    (async function* () {
      yield Buffer.from('x')
    })(),
  )
  expect(await readdir(join(directory.path, '.unfinished'))).toEqual([])
  expect((await readFile(join(directory.path, 'a/b'))).toString()).toBe('x')
})
