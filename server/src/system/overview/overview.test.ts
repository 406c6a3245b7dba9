import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectClients, insertNode } from '../../../test/harness/other-node.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate, type TestUser } from '../../../test/harness/users.ts'
import { createDeadLetter, insertDeadLetters } from '../../ingest/dead-letters/store.ts'
import type { DeviceMessage } from '../../ingest/message.ts'
import { UnreadableError } from '../../ingest/unreadable.ts'
import { newId } from '../../lib/ids.ts'
import { createTenantCounts } from './tenant-counts.ts'

let platform: Platform
let branch: string
beforeAll(async () => {
  platform = await startPlatform()
  branch = await makeOrganization(platform)
  for (const id of ['b-1', 'b-2'])
    await platform.post('/v1/providers/mqtt/clients', { id, displayName: id, organizationId: branch })
  await platform.post('/v1/providers/mqtt/clients', { id: 'r-1', displayName: 'r-1' })
  await fill()
})
afterAll(() => platform[Symbol.asyncDispose]())

/** One client is online and was heard; one of the branch sent an unreadable message. */
async function fill() {
  const { db, activity } = platform.ctx
  const rows = await db.selectFrom('provider_clients').select(['id', 'number']).execute()
  const number = (id: string) => rows.find((row) => row.id === id)!.number
  await connectClients(platform.ctx.pool, [number('r-1')], await insertNode(platform.ctx.pool))
  const device = (id: string) =>
    ({ number: number(id), id, tenantId: 'default', tenantNumber: 1 }) as DeviceMessage['device']
  activity.record([{ device: device('r-1'), receivedAtMs: Date.now() }])
  await activity.flush()
  const message = {
    device: device('b-1'),
    topic: 'devices/b-1/telemetry',
    payload: Buffer.from('{'),
    receivedAtMs: Date.now(),
    packetId: 1,
    isRepeat: false,
  }
  await insertDeadLetters(db, [createDeadLetter(message, new UnreadableError('not_json', 'Not JSON.'))])
  const attempt = { tenant_id: 'default', device_id: 'b-1', kind: 'settings', steps: '[]', duration_ms: 1 }
  const at = { first_at: new Date(), last_at: new Date() }
  for (const outcome of ['refused', 'failed', 'succeeded'])
    await db
      .insertInto('onboarding_attempts')
      .values({ id: newId(), outcome, count: 3, ...attempt, ...at } as never)
      .execute()
  await insertAlarm(branch, { severity: 4, state: 'active_unacknowledged' })
  await insertAlarm(branch, { severity: 2, state: 'active_acknowledged' })
  await insertAlarm(platform.organizationId, { severity: 4, state: 'active_acknowledged' })
  await insertAlarm(platform.organizationId, { severity: 5, state: 'cleared' })
  await insertRollout('Failed')
  await insertRollout('Succeeded')
}

const insertAlarm = (organizationId: string, fields: object) =>
  platform.ctx.db
    .insertInto('alarm_statuses')
    .values({
      id: newId(),
      tenant_id: 'default',
      alarm_id: newId(),
      alarm_name: 'Hot',
      asset_id: newId(),
      asset_name: 'Pump',
      organization_id: organizationId,
      asset_organization_id: organizationId,
      activated_at: new Date(),
      time: new Date(),
      ...fields,
    } as never)
    .execute()

async function insertRollout(state: string) {
  const { db } = platform.ctx
  const { number } = await db
    .selectFrom('provider_clients')
    .select('number')
    .where('id', '=', 'b-1')
    .executeTakeFirstOrThrow()
  const id = newId()
  const common = { tenant_id: 'default', organization_id: branch }
  const deployment = { id, display_name: state, deployment_template_id: newId(), release_id: newId() }
  await db
    .insertInto('deployments')
    .values({
      ...common,
      ...deployment,
      plan: '{}',
      rollout: '{}',
      status: 'Running',
      started_at: new Date(),
    } as never)
    .execute()
  await db
    .insertInto('firmware_updates')
    .values({
      id: newId(),
      tenant_id: 'default',
      deployment_id: id,
      client_number: number,
      kind: 'update',
      place: 1,
      wave: 1,
      state,
    } as never)
    .execute()
}

const read = async (user?: Pick<TestUser, 'token'>) => {
  const { status, body } = await platform.get('/v1/overview', user)
  expect([status, body.message]).toEqual([200, undefined])
  return body
}

test('an administrator sees what needs attention in the tenant', async () => {
  const overview = await read()
  const counts = { total: 3, online: 1, offline: 2, silent: 2 }
  expect(overview).toMatchObject({
    alarms: {
      open: 3,
      unacknowledged: 1,
      bySeverity: [
        { severity: 4, open: 2 },
        { severity: 2, open: 1 },
      ],
    },
    devices: { ...counts, providers: [{ providerId: 'mqtt', ...counts }] },
    deadLetters: { messages: 1, devices: 1 },
    onboarding: { refused: 3, failed: 3 },
    rollouts: { running: 2, withFailures: 1 },
    ingest: { messagesPerSecond: expect.any(Number) },
    storage: null,
  })
  expect(overview.rollouts.items.map((item: object) => Object.values(item).slice(1))).toEqual([
    ['Succeeded', 'Running', 0],
    ['Failed', 'Running', 1],
  ])
  const { silentSince } = overview.devices
  const silent = await platform.get(`/v1/providers/mqtt/clients?silentSince=${silentSince}`)
  expect(silent.body.map(({ id }: { id: string }) => id)).toEqual(['b-1', 'b-2'])
})

test('an owner of the environment sees the space that is left', async () => {
  const { metrics } = platform.ctx
  metrics.diskFreeBytes.set({ directory: '/data' }, 5_000)
  metrics.diskFreeBytes.set({ directory: '/files' }, 4_000)
  metrics.diskHoursLeft.set({ directory: '/data' }, 36)
  expect((await read()).storage).toEqual({ freeBytes: 4_000, daysLeft: 1.5 })
})

test('a viewer of an organization sees its part, and nothing of the tenant', async () => {
  const viewer = await makeUser(platform)
  await relate(platform, `${viewer.id} viewer organization:${branch}`)
  const overview = await read(viewer)
  expect(overview).toMatchObject({
    alarms: { open: 2 },
    devices: { total: 2, online: 0, silent: 2 },
    deadLetters: { messages: 1, devices: 1 },
    rollouts: { running: 2 },
    onboarding: null,
    ingest: null,
    storage: null,
  })
})

test('a device that is shared by itself counts too, and only once', async () => {
  const user = await makeUser(platform)
  await relate(platform, `${user.id} viewer provider_client:b-1`)
  expect((await read(user)).devices).toMatchObject({ total: 1, online: 0, offline: 1, silent: 1 })
  expect((await read(user)).deadLetters).toMatchObject({ messages: 1, devices: 1 })
  await relate(platform, `${user.id} viewer organization:${branch}`)
  expect((await read(user)).devices.total).toBe(2)
})

test('a stranger sees zeros, and another tenant its own', async () => {
  const stranger = await makeUser(platform)
  expect(await read(stranger)).toMatchObject({
    alarms: { open: 0 },
    devices: { total: 0, providers: [] },
    rollouts: { running: 0 },
  })
  const other = await platform.makeTenant('other')
  expect(await read(other)).toMatchObject({
    devices: { total: 0 },
    deadLetters: { messages: 0 },
    onboarding: { refused: 0 },
    storage: null,
  })
})

test('a token sees the parts that it is limited to', async () => {
  const { body } = await platform.post('/v1/api-tokens', {
    displayName: 'T',
    privileges: ['alarm_management'],
  })
  expect(await read(body)).toMatchObject({
    alarms: { open: 3 },
    devices: null,
    rollouts: null,
    onboarding: null,
  })
})

test('counts are shared by the requests of some seconds, and a failed count is repeated', async () => {
  let opened = 0
  let fails = true
  const { queries } = platform.ctx
  const getCounts = createTenantCounts({
    queries: {
      ...queries,
      open(tenantId: string) {
        opened++
        if (fails) throw new Error('the database is away')
        return queries.open(tenantId)
      },
    },
  })
  await expect(getCounts('default')).rejects.toThrow('away')
  fails = false
  const [one, two] = await Promise.all([getCounts('default'), getCounts('default')])
  expect(await getCounts('default')).toBe(one)
  expect([two === one, opened]).toEqual([true, 2])
})
