/** A disk that is filling up is reported before it is full. */
import { tmpdir } from 'node:os'
import { createMetrics } from '../lib/metrics.ts'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../test/harness/database.ts'
import { createDiskWatch } from './disk-watch.ts'

const HOUR_MS = 3_600_000
const GIBIBYTE = 1024 ** 3

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

function watchDisk(lake?: string) {
  const lines: Record<string, unknown>[] = []
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const metrics = createMetrics()
  const config = { lakeUrl: lake === undefined ? undefined : { folder: lake } }
  const watch = createDiskWatch({ db: database.db, log, metrics, storageDirectories: [], config })
  const look = (bytes: number, hours: number) => watch.look([{ directory: '/data', bytes }], hours * HOUR_MS)
  const events = async () =>
    (
      await database.pool.query(`select payload from outbox where subject = 'StorageRunningOut' order by id`)
    ).rows.map(({ payload }) => payload)
  return { lines, look, events, metrics, watch }
}

test('estimates the end of the disk from the last day in a metric, and two days before it with a log line and an event', async () => {
  const { lines, look, events, metrics, watch } = watchDisk()
  await look(100 * GIBIBYTE, 0)
  await look(99 * GIBIBYTE, 0.5)
  expect(await metrics.registry.metrics()).not.toMatch(/gangway_disk_hours_left\{.*\} \d/)
  await look(98 * GIBIBYTE, 1)
  expect(await metrics.registry.metrics()).toContain('gangway_disk_hours_left{directory="/data"} 49')
  expect(lines).toEqual([])
  await look(96 * GIBIBYTE, 2)
  expect(await metrics.registry.metrics()).toContain('gangway_disk_hours_left{directory="/data"} 48')
  await look(90 * GIBIBYTE, 3)
  expect(lines).toMatchObject([
    { directory: '/data', freeMebibytes: 92_160, hoursLeft: 27, msg: expect.stringContaining('full soon') },
  ])
  expect(await events()).toEqual([{ freeMebibytes: 92_160, hoursLeft: 27 }])
  await look(89 * GIBIBYTE, 3.5)
  expect(lines, 'not more than once an hour').toHaveLength(1)
  await watch[Symbol.asyncDispose]()
})

test('a disk that fills within the first hour is reported before it is full, with an event', async () => {
  const { lines, look, events, watch } = watchDisk()
  const before = (await events()).length
  for (const [mebibytes, hours] of [
    [1100, 0],
    [900, 0.1],
    [100, 0.2],
    [10, 0.3],
  ] as const)
    await look(mebibytes * 1024 * 1024, hours)
  expect(lines).toMatchObject([
    { freeMebibytes: 900, hoursLeft: null, msg: expect.stringContaining('full soon') },
    { freeMebibytes: 10, hoursLeft: null, msg: expect.stringContaining('the disk is full') },
  ])
  expect((await events()).slice(before)).toEqual([{ freeMebibytes: 900, hoursLeft: null }])
  await watch[Symbol.asyncDispose]()
})

test('a full disk is one line in the log, and again an hour later', async () => {
  const { lines, look, watch } = watchDisk()
  for (const hours of [0, 0.1, 0.9, 1.1]) await look(10 * 1024 * 1024, hours)
  expect(lines).toMatchObject([
    { freeMebibytes: 10, hoursLeft: null, msg: expect.stringContaining('the disk is full') },
    { freeMebibytes: 10, msg: expect.stringContaining('the disk is full') },
  ])
  await watch[Symbol.asyncDispose]()
})

test('a disk whose use does not grow has no estimate', async () => {
  const { lines, look, metrics, watch } = watchDisk()
  for (const hours of [0, 1, 2, 30]) await look(GIBIBYTE, hours)
  expect(await metrics.registry.metrics()).not.toMatch(/gangway_disk_hours_left\{.*\} \d/)
  expect(lines).toEqual([])
  await watch[Symbol.asyncDispose]()
})

test('the folder of the lake is watched once it is there', async () => {
  const { metrics, watch } = watchDisk(tmpdir())
  await expect
    .poll(() => metrics.registry.metrics())
    .toContain(`gangway_disk_free_bytes{directory="${tmpdir()}"}`)
  await watch[Symbol.asyncDispose]()
  const absent = watchDisk('/nowhere/lake')
  expect(absent.lines).toEqual([])
  await absent.watch[Symbol.asyncDispose]()
})
