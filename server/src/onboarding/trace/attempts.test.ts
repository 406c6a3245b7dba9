import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { testLog } from '../../../test/harness/log.ts'
import { createMetrics } from '../../lib/metrics.ts'
import type { Attempt } from './attempt.ts'
import { createAttempts } from './attempts.ts'
import { startRun } from './attempt-run.ts'
import { listAttemptsOfDevice } from './list-attempts.ts'
import { ATTEMPTS_OF_DEVICE, ATTEMPTS_OF_UNKNOWN, deleteOldAttempts, UNPROVEN_OF_DEVICE } from './store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

function create() {
  const metrics = createMetrics()
  const attempts = createAttempts({ pool: database.pool, log: testLog, metrics })
  const countDropped = async () =>
    Object.fromEntries(
      (await metrics.attemptsDropped.get()).values.map(({ labels, value }) => [labels.reason, value]),
    )
  return Object.assign(attempts, { countDropped })
}

const attempt = (deviceId: string, given: Partial<Attempt> = {}): Attempt => ({
  kind: 'settings',
  deviceId,
  tenantId: 'default',
  isProven: true,
  address: '192.0.2.1',
  startedAt: new Date(),
  durationMs: 3,
  outcome: 'refused',
  steps: [{ code: 'device_found' }, { code: 'bootstrap_key_wrong' }],
  ...given,
})

const listRows = async (deviceId: string) =>
  (
    await database.pool.query(
      'select * from onboarding_attempts where device_id = $1 order by last_at desc',
      [deviceId],
    )
  ).rows

test('equal attempts in a row are one run, also after it was written; any difference begins another', async () => {
  await using attempts = create()
  const day = (n: number) => new Date(Date.UTC(2026, 0, n))
  const record = (n: number, given?: Partial<Attempt>) =>
    attempts.record(attempt('loop', { startedAt: day(n), durationMs: n, ...given }))
  record(1)
  record(2)
  await attempts.flush()
  record(3)
  await attempts.flush()
  expect(await listRows('loop')).toMatchObject([
    { count: 3, first_at: day(1), last_at: day(3), duration_ms: 3, address: '192.0.2.1' },
  ])
  record(4, { address: '192.0.2.2' })
  record(5, { outcome: 'succeeded', steps: [{ code: 'settings_sent' }] })
  record(6)
  // An attempt of another kind does not end the run.
  record(7, { kind: 'mqtt_sign_in' })
  record(8)
  await attempts.flush()
  expect((await listRows('loop')).map(({ kind, count, outcome }) => [kind, count, outcome])).toEqual([
    ['settings', 2, 'refused'],
    ['mqtt_sign_in', 1, 'refused'],
    ['settings', 1, 'succeeded'],
    ['settings', 1, 'refused'],
    ['settings', 3, 'refused'],
  ])
})

test('the message of the latest attempt is kept', async () => {
  await using attempts = create()
  for (const message of ['after 3 s', 'after\n4 s'])
    attempts.record(attempt('told', { steps: [{ code: 'provider_unavailable', message }] }))
  await attempts.flush()
  expect(await listRows('told')).toMatchObject([
    { count: 2, steps: [{ code: 'provider_unavailable', message: 'after\uFFFD4 s' }] },
  ])
})

test('what was recorded is written when the server stops', async () => {
  const attempts = create()
  attempts.record(attempt('stopped'))
  await attempts[Symbol.asyncDispose]()
  attempts.record(attempt('stopped'))
  expect(await listRows('stopped')).toMatchObject([{ count: 1 }])
})

test('a device keeps its last attempts', async () => {
  await using attempts = create()
  for (let n = 0; n < 300; n++) {
    const startedAt = new Date(Date.UTC(2026, 0, 1, 0, 0, n))
    attempts.record(attempt('restless', { startedAt, address: `192.0.2.${n % 2}` }))
    if (n % 10 === 9) await attempts.flush()
  }
  const rows = await listRows('restless')
  expect(rows.length).toBeGreaterThanOrEqual(ATTEMPTS_OF_DEVICE)
  expect(rows.length).toBeLessThan(2 * ATTEMPTS_OF_DEVICE)
  expect(rows[0].last_at).toEqual(new Date(Date.UTC(2026, 0, 1, 0, 0, 299)))
})

test('attempts without proof displace few of a device, whatever changes between them', async () => {
  await using attempts = create()
  const at = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n))
  for (let n = 0; n < 40; n++) {
    const steps = [
      { code: 'settings_sent' as const },
      ...(n % 2 ? [{ code: 'stored_credentials_used' as const }] : []),
    ]
    attempts.record(attempt('watched', { startedAt: at(n), outcome: 'succeeded', steps }))
  }
  await attempts.flush()
  for (let n = 0; n < 3000; n++) {
    const address = `192.0.2.${n % 2}`
    attempts.record(attempt('watched', { startedAt: at(100 + n), address, isProven: false }))
    // One of the device's own in between goes on with its run.
    attempts.record(attempt('watched', { startedAt: at(100 + n) }))
    if (n % 100 === 99) await attempts.flush()
  }
  const rows = await listRows('watched')
  const proven = rows.filter((row) => row.proven)
  expect(proven.map(({ outcome, count }) => [outcome, count])).toEqual([
    ['refused', 3000],
    ...Array.from({ length: 40 }, () => ['succeeded', 1]),
  ])
  expect(rows.length - proven.length).toBeGreaterThanOrEqual(UNPROVEN_OF_DEVICE)
  // Old rows are deleted by chance, after one of eight new ones on average.
  expect(rows.length - proven.length).toBeLessThan(200)
  const device = { groupId: '00000000-0000-4000-8000-000000000000', deviceId: 'watched' }
  const listed = await listAttemptsOfDevice(database.db, ['default'], device)
  expect(listed).toHaveLength(ATTEMPTS_OF_DEVICE)
  expect(listed.filter((row) => !row.proven)).toHaveLength(UNPROVEN_OF_DEVICE)
  // A batch of 100 begins 10 runs. Half of the others are equal to the last of them.
  expect(await attempts.countDropped()).toEqual({ unproven: 30 * 45 })
})

test('attempts without proof on many devices of a tenant are bounded in each batch', async () => {
  await using attempts = create()
  for (let n = 0; n < 1500; n++) attempts.record(attempt(`guessed-${n}`, { isProven: false }))
  attempts.record(attempt('guessed-of-another', { isProven: false, tenantId: 'other' }))
  attempts.record(attempt('guessed-proven'))
  await attempts.flush()
  const { rows } = await database.pool.query(
    `select count(*)::int from onboarding_attempts where device_id like 'guessed-%'`,
  )
  expect(rows[0].count).toBe(1002)
  expect(await attempts.countDropped()).toEqual({ unproven: 500 })
})

test('the newest rows without a tenant are kept, for each outcome', async () => {
  const { pool } = database
  const insert = (outcome: string, rows: number) =>
    pool.query(
      `insert into onboarding_attempts (id, device_id, kind, outcome, steps, count, first_at, last_at, duration_ms)
       select gen_random_uuid(), 'flood-' || n, 'settings', $1, '[]', 1, now(), timestamptz '2020-01-01' + n * interval '1 s', 1
       from generate_series(1, $2) n`,
      [outcome, rows],
    )
  await insert('refused', ATTEMPTS_OF_UNKNOWN + 30)
  await insert('failed', 5)
  await deleteOldAttempts(
    pool,
    [startRun(attempt('flood-1', { tenantId: undefined, isProven: false }))],
    () => true,
  )
  const { rows } = await pool.query(
    `select outcome, count(*)::int, min(last_at) as oldest from onboarding_attempts where tenant_id is null group by 1 order by 1`,
  )
  expect(rows).toMatchObject([
    { outcome: 'failed', count: 5 },
    { outcome: 'refused', count: ATTEMPTS_OF_UNKNOWN },
  ])
  expect(rows[1].oldest).toEqual(new Date(Date.UTC(2020, 0, 1, 0, 0, 31)))
  await pool.query('delete from onboarding_attempts where tenant_id is null')
})

test('ids that nobody has are bounded in each batch, and counted', async () => {
  await using attempts = create()
  for (let n = 0; n < 500; n++)
    attempts.record(attempt(`made-up-${n}`, { tenantId: undefined, isProven: false }))
  attempts.record(attempt('made-up-known'))
  await attempts.flush()
  const { rows } = await database.pool.query(
    `select count(*)::int from onboarding_attempts where device_id like 'made-up-%'`,
  )
  expect(rows[0].count).toBe(201)
  expect(await attempts.countDropped()).toEqual({ unknown_ids: 300 })
})

test('an id is bounded and printable, and a run of one tenant is not one of another', async () => {
  await using attempts = create()
  attempts.record(attempt('a\u0000b'.padEnd(5000, 'x'), { tenantId: undefined, isProven: false }))
  attempts.record(attempt('shared'))
  attempts.record(attempt('shared', { tenantId: 'other' }))
  attempts.record(attempt('shared', { tenantId: undefined, isProven: false }))
  await attempts.flush()
  expect((await listRows('a\uFFFDb'.padEnd(128, 'x'))).length).toBe(1)
  expect((await listRows('shared')).map(({ tenant_id }) => String(tenant_id)).toSorted()).toEqual([
    'default',
    'null',
    'other',
  ])
})

test('an overload, and a database that is away, drop attempts and never throw', async () => {
  await database.pool.query('alter table onboarding_attempts rename to away')
  const attempts = create()
  for (let n = 0; n < 20_010; n++) attempts.record(attempt(`crowd-${n}`))
  await attempts[Symbol.asyncDispose]()
  await database.pool.query('alter table away rename to onboarding_attempts')
  expect(await attempts.countDropped()).toEqual({ overload: 10, database: 20_000 })
})
