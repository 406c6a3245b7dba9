import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { makeGroup, type TestGroup } from '../../../test/harness/enrollment-group.ts'
import { testLog } from '../../../test/harness/log.ts'
import { startPlatform } from '../../../test/harness/platform.ts'
import { createSettingsRecorder } from './record-settings.ts'
import type { SettingsRecord } from './write-settings-records.ts'

const platform = await startPlatform()
afterAll(() => platform[Symbol.asyncDispose]())
const { db, pool } = platform.ctx

/** A recorder of another node on the same database. */
const makeRecorder = (from: Pick<typeof pool, 'query'> = pool, flushMs?: number) =>
  createSettingsRecorder({ pool: from as typeof pool, log: testLog }, flushMs)

const readGroup = ({ groupId }: TestGroup) =>
  db.selectFrom('enrollment_groups').selectAll().where('id', '=', groupId).executeTakeFirstOrThrow()

async function makeRecords(group: TestGroup, deviceIds: string[]): Promise<SettingsRecord[]> {
  for (const id of deviceIds) await group.add(id)
  const keyId = (await readGroup(group)).primary_key_id!
  return deviceIds.map((deviceId) => ({
    groupId: group.groupId,
    deviceId,
    keyId,
    keyKind: 'derived',
    atMs: performance.now(),
  }))
}

const lastSettings = async (group: TestGroup, deviceId: string) => {
  const { last_settings_at: at, last_key_kind: kind } = (await group.record(deviceId))!
  return { at: at as string | null, kind }
}

test('many requests cost one statement for the devices and one for the keys', async () => {
  const group = await makeGroup(platform)
  const records = await makeRecords(group, ['batch-1', 'batch-2'])
  let statements = 0
  const query = (...args: Parameters<typeof pool.query>) => (statements++, pool.query(...args))
  const recorder = makeRecorder({ query } as unknown as typeof pool)
  for (let round = 0; round < 100; round++)
    for (const settings of records) recorder.record({ ...settings, atMs: performance.now() })
  expect(statements).toBe(0)
  await Promise.all([recorder.flush(), recorder.flush()])
  expect(statements).toBe(2)
  for (const { deviceId } of records)
    expect(await group.record(deviceId)).toMatchObject({ last_key_slot: 'primary', last_key_kind: 'derived' })
})

test('the records are complete once the recorder has stopped', async () => {
  const group = await makeGroup(platform)
  const [settings] = await makeRecords(group, ['stopped'])
  const recorder = makeRecorder()
  recorder.record(settings!)
  await recorder[Symbol.asyncDispose]()
  expect(await lastSettings(group, 'stopped')).toEqual({ at: expect.any(String), kind: 'derived' })
})

test('the time is that of the request', async () => {
  const group = await makeGroup(platform)
  const [settings] = await makeRecords(group, ['timed'])
  await sql`update onboarding_devices set created_at = '2026-01-01' where device_id = 'timed'`.execute(db)
  const recorder = makeRecorder()
  recorder.record({ ...settings!, atMs: performance.now() - 3_600_000 })
  await recorder.flush()
  const { at } = await lastSettings(group, 'timed')
  const ageMs = Date.now() - Date.parse(at!)
  expect(ageMs).toBeGreaterThan(3_590_000)
  expect(ageMs).toBeLessThan(3_900_000)
})

test('a later record of another node stays', async () => {
  const group = await makeGroup(platform)
  const [settings] = await makeRecords(group, ['moving'])
  const [here, there] = [makeRecorder(), makeRecorder()]
  here.record(settings!)
  // Times of the two nodes are as exact as a statement is fast.
  await sleep(1000)
  there.record({ ...settings!, keyKind: 'bootstrap', atMs: performance.now() })
  await there.flush()
  const later = await lastSettings(group, 'moving')
  await here.flush()
  expect(await lastSettings(group, 'moving')).toEqual(later)
  expect(later.kind).toBe('bootstrap')
})

test('a time in the future, from before the clock was set back, is replaced', async () => {
  const group = await makeGroup(platform)
  const [settings] = await makeRecords(group, ['ahead'])
  await db
    .updateTable('onboarding_devices')
    .set({ last_settings_at: new Date('2100-01-01') })
    .where('device_id', '=', 'ahead')
    .execute()
  const recorder = makeRecorder()
  recorder.record({ ...settings!, atMs: performance.now() })
  await recorder.flush()
  expect((await lastSettings(group, 'ahead')).at).toMatch(/^20[^1]/)
})

test('a request before the present registration of the device is not recorded for it', async () => {
  const group = await makeGroup(platform)
  const [settings] = await makeRecords(group, ['returned'])
  const recorder = makeRecorder()
  recorder.record({ ...settings!, atMs: performance.now() - 60_000 })
  await platform.delete(`/api/enrollment-groups/${group.groupId}/devices/returned`)
  await group.add('returned')
  await recorder.flush()
  expect(await lastSettings(group, 'returned')).toEqual({ at: null, kind: null })
})

test('records that could not be written are kept, and one of the same device that arrived meanwhile wins', async () => {
  const group = await makeGroup(platform)
  const records = await makeRecords(group, ['kept-1', 'kept-2'])
  let broken = true
  const query = async (...args: Parameters<typeof pool.query>) => {
    if (!broken) return pool.query(...args)
    recorder.record({ ...records[1]!, keyKind: 'bootstrap', atMs: performance.now() })
    throw new Error('the database is away')
  }
  const recorder = makeRecorder({ query } as unknown as typeof pool)
  for (const settings of records) recorder.record(settings)
  await expect(recorder.flush()).rejects.toThrow('the database is away')
  broken = false
  await recorder.flush()
  expect((await lastSettings(group, 'kept-1')).kind).toBe('derived')
  expect((await lastSettings(group, 'kept-2')).kind).toBe('bootstrap')
})

test('records are written after a while without a read, and again after a failure', async () => {
  const group = await makeGroup(platform)
  const [settings] = await makeRecords(group, ['unread'])
  let failures = 0
  const query = async (...args: Parameters<typeof pool.query>) => {
    if (failures++ < 2) throw new Error('the database is away')
    return pool.query(...args)
  }
  const recorder = makeRecorder({ query } as unknown as typeof pool, 1)
  recorder.record(settings!)
  await expect.poll(() => lastSettings(group, 'unread')).toEqual({ at: expect.any(String), kind: 'derived' })
})

test('more devices than fit in one batch are all recorded', async () => {
  const group = await makeGroup(platform)
  const ids = Array.from({ length: 2500 }, (_, index) => `many-${index}`)
  await db
    .insertInto('onboarding_devices')
    .values(ids.map((device_id) => ({ tenant_id: 'default', enrollment_group_id: group.groupId, device_id })))
    .execute()
  const keyId = (await readGroup(group)).primary_key_id!
  const recorder = makeRecorder()
  for (const deviceId of ids)
    recorder.record({
      groupId: group.groupId,
      deviceId,
      keyId,
      keyKind: 'bootstrap',
      atMs: performance.now(),
    })
  await recorder.flush()
  const { count } = await db
    .selectFrom('onboarding_devices')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('enrollment_group_id', '=', group.groupId)
    .where('last_key_id', '=', keyId)
    .executeTakeFirstOrThrow()
  expect(Number(count)).toBe(2500)
})
