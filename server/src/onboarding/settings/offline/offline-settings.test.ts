import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  fakeCredentials,
  fakeProviderKey,
  type FakeProvider,
  startFakeProvider,
} from '../../../../test/harness/fake-provider.ts'
import { makeGroup, type TestGroup } from '../../../../test/harness/enrollment-group.ts'
import { type Platform, startPlatform } from '../../../../test/harness/platform.ts'
import { untilBlocked } from '../../../../test/harness/until-blocked.ts'
import { PROVIDER_BUDGET_MS } from './find-credentials.ts'
import { upsertCredentials } from './store.ts'

let platform: Platform
let provider: FakeProvider
beforeAll(async () => {
  platform = await startPlatform()
  provider = await startFakeProvider()
})
afterEach(() => provider.behave())
afterAll(async () => {
  await platform[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const target = () => ({ provider_base_url: provider.url, provider_api_key: fakeProviderKey })
const makeOfflineGroup = (group: object = {}, token?: string) =>
  makeGroup(platform, {
    target: target(),
    group: { offline_settings: true, ...group },
    ...(token && { token }),
  })

const readRow = async (groupId: string, deviceId: string) =>
  (
    await platform.ctx.pool.query(
      'select *, xmin::text from onboarding_credentials where enrollment_group_id = $1 and device_id = $2',
      [groupId, deviceId],
    )
  ).rows[0]

/** Provisions the device and lets it fetch its settings once. @returns once its keys are stored */
async function bootOnce(group: TestGroup, deviceId: string) {
  await group.add(deviceId)
  await group.provision(deviceId)
  const answer = await group.settings(deviceId)
  expect([answer.status, answer.headers.get('x-settings-stale')]).toEqual([200, null])
  await expect.poll(() => readRow(group.groupId, deviceId)).toBeDefined()
}

const outages: [what: string, behave: Parameters<FakeProvider['behave']>[0]][] = [
  ['answers 500', (_request, response) => void response.writeHead(500).end('{}')],
  ['answers 503', (_request, response) => void response.writeHead(503).end('<html>')],
  ['breaks the connection', (request) => void request.socket.destroy()],
  ['hangs', () => {}],
]

const codes = async (group: TestGroup, deviceId: string): Promise<string[]> => {
  const { body } = await platform.get(`/api/enrollment-groups/${group.groupId}/devices/${deviceId}/trace`)
  return body.items[0].steps.map(({ code }: { code: string }) => code)
}

describe('while the provider is unavailable [docs/onboarding#offline-settings]', () => {
  test.each(outages)('that %s, the device gets its last known keys, and their age', async (_what, behave) => {
    const group = await makeOfflineGroup()
    await bootOnce(group, 'pump')
    await platform.ctx.pool.query(
      `update onboarding_credentials set received_at = now() - interval '100 s' where enrollment_group_id = $1`,
      [group.groupId],
    )
    provider.behave(behave)
    const { status, headers, body } = await group.settings('pump')
    expect(status).toBe(200)
    expect(body.mqtt.password ?? JSON.stringify(body)).toContain(fakeCredentials('pump').primaryKey)
    expect(Number(headers.get('x-settings-stale'))).toBeGreaterThanOrEqual(100)
    expect((await codes(group, 'pump')).slice(-2)).toEqual(['stored_credentials_used', 'settings_sent'])
    provider.behave()
    const later = await group.settings('pump')
    expect([later.status, later.headers.get('x-settings-stale')]).toEqual([200, null])
  })

  test('and its connections are refused', async () => {
    const dead = createServer()
    await new Promise<void>((listening) => dead.listen(0, '127.0.0.1', listening))
    const { port } = dead.address() as AddressInfo
    await new Promise((closed) => dead.close(closed))
    const group = await makeOfflineGroup()
    await bootOnce(group, 'pump')
    // The keys belong to the address of the provider.
    const url = `http://127.0.0.1:${port}`
    await platform.ctx.pool.query('update routing_targets set provider_base_url = $2 where id = $1', [
      group.targetId,
      url,
    ])
    expect((await group.settings('pump')).status).toBe(502)
    await platform.ctx.pool.query(
      'update onboarding_credentials set provider = $2 where enrollment_group_id = $1',
      [group.groupId, `${group.targetId} ${url}`],
    )
    expect((await group.settings('pump')).status).toBe(200)
  })

  test('a device without stored keys, and a group without the field, get 502', async () => {
    const [group, without] = [await makeOfflineGroup(), await makeGroup(platform, { target: target() })]
    for (const one of [group, without]) {
      await one.add('new')
      await one.provision('new')
    }
    await without.settings('new')
    provider.behave(outages[0]![1])
    for (const one of [group, without]) {
      const answer = await one.settings('new')
      expect([answer.status, answer.body.error]).toEqual([502, 'provider_unavailable'])
    }
    expect((await codes(group, 'new')).slice(-2)).toEqual([
      'stored_credentials_missing',
      'provider_unavailable',
    ])
    expect(await readRow(without.groupId, 'new')).toBeUndefined()
  })

  test('a new template and broker are rendered with the last known keys', async () => {
    const group = await makeOfflineGroup()
    await bootOnce(group, 'pump')
    provider.behave(outages[0]![1])
    await platform.put(`/api/enrollment-groups/${group.groupId}`, {
      response_template: { new: '{{device.primary_key}}', at: '{{target.host}}' },
    })
    await platform.put(`/api/routing-targets/${group.targetId}`, {
      brokers: [{ host: 'new.example.com', port: 1883 }],
    })
    const { status, body } = await group.settings('pump')
    expect([status, body]).toEqual([200, { new: fakeCredentials('pump').primaryKey, at: 'new.example.com' }])
  })

  test('keys that are older than the group allows are not used', async () => {
    const group = await makeOfflineGroup({ offline_settings_max_age_seconds: 60 })
    await bootOnce(group, 'pump')
    await platform.ctx.pool.query(
      `update onboarding_credentials set received_at = now() - interval '61 s' where enrollment_group_id = $1`,
      [group.groupId],
    )
    provider.behave(outages[0]![1])
    expect((await group.settings('pump')).status).toBe(502)
    expect(await codes(group, 'pump')).toContain('stored_credentials_expired')
    await platform.put(`/api/enrollment-groups/${group.groupId}`, { offline_settings_max_age_seconds: 3600 })
    expect((await group.settings('pump')).status).toBe(200)
  })
})

describe('keys that are not used', () => {
  test('of a device that was removed, that its provider deleted, or whose group is disabled', async () => {
    const group = await makeOfflineGroup()
    for (const id of ['removed', 'deleted', 'held']) await bootOnce(group, id)
    await platform.delete(`/api/enrollment-groups/${group.groupId}/devices/removed`)
    // The provider says so, and is away afterwards.
    provider.clients.delete('deleted')
    expect((await group.settings('deleted')).status).toBe(502)
    await expect.poll(() => readRow(group.groupId, 'deleted')).toBeUndefined()
    provider.behave(outages[0]![1])
    expect((await group.settings('removed')).status).toBe(401)
    expect((await group.settings('deleted')).status).toBe(502)
    await platform.put(`/api/enrollment-groups/${group.groupId}`, { status: 'disabled' })
    expect((await group.settings('held')).status).toBe(403)
    expect(await readRow(group.groupId, 'removed')).toBeUndefined()
  })

  test('while the provider refuses the API key, which is an answer', async () => {
    const group = await makeOfflineGroup()
    await bootOnce(group, 'pump')
    provider.behave((_request, response) => void response.writeHead(401).end('{}'))
    expect((await group.settings('pump')).status).toBe(502)
  })

  test('of another tenant with the same device id', async () => {
    const { token } = await platform.makeTenant('other')
    const [ours, theirs] = [await makeOfflineGroup(), await makeOfflineGroup({}, token)]
    await bootOnce(ours, 'same')
    await theirs.add('same')
    await theirs.provision('same')
    provider.behave(outages[0]![1])
    expect((await theirs.settings('same')).status).toBe(502)
    expect((await ours.settings('same')).status).toBe(200)
  })

  test('once the field is off: they are deleted', async () => {
    const group = await makeOfflineGroup()
    await bootOnce(group, 'pump')
    await platform.put(`/api/enrollment-groups/${group.groupId}`, { offline_settings: false })
    expect(await readRow(group.groupId, 'pump')).toBeUndefined()
    await group.settings('pump')
    provider.behave(outages[0]![1])
    expect((await group.settings('pump')).status).toBe(502)
  })
})

describe('the stored keys', () => {
  test('are sealed, and written only when they change or have to be confirmed', async () => {
    const group = await makeOfflineGroup()
    await bootOnce(group, 'pump')
    const before = await readRow(group.groupId, 'pump')
    expect(before.credentials_sealed.toString('latin1')).not.toContain('primary of')
    for (let request = 0; request < 5; request++) await group.settings('pump')
    // Written after everything that came before it.
    await bootOnce(group, 'marker')
    expect((await readRow(group.groupId, 'pump')).xmin).toBe(before.xmin)
    const rotated = { primaryKey: 'rotated', secondaryKey: 'other' }
    provider.behave((_request, response) => void response.writeHead(200).end(JSON.stringify(rotated)))
    await group.settings('pump')
    await expect.poll(async () => (await readRow(group.groupId, 'pump')).xmin).not.toBe(before.xmin)
    provider.behave(outages[0]![1])
    expect(JSON.stringify((await group.settings('pump')).body)).toContain('rotated')
  })
})

test('a dead provider is left alone for some seconds, and asked again by itself', async () => {
  const group = await makeOfflineGroup()
  for (const id of ['a', 'b']) await bootOnce(group, id)
  provider.behave(outages[3]![1])
  await Promise.all([group.settings('a'), group.settings('a'), group.settings('b')])
  const calls = provider.calls.length
  for (let request = 0; request < 10; request++) expect((await group.settings('b')).status).toBe(200)
  expect(await codes(group, 'b')).toContain('provider_paused')
  // One call may have found out whether it is back.
  expect(provider.calls.length - calls).toBeLessThanOrEqual(1)
  provider.behave()
  const isFresh = async () => (await group.settings('b')).headers.get('x-settings-stale') === null
  await expect.poll(isFresh, { interval: 200 }).toBe(true)
})

test('what a slow provider answers after the device was served is stored', async () => {
  const group = await makeOfflineGroup()
  await bootOnce(group, 'pump')
  const late = { primaryKey: 'late primary', secondaryKey: 'late secondary' }
  provider.behave(
    (_request, response) =>
      void setTimeout(() => response.writeHead(200).end(JSON.stringify(late)), PROVIDER_BUDGET_MS * 1.5),
  )
  expect((await group.settings('pump')).headers.get('x-settings-stale')).not.toBeNull()
  expect(await codes(group, 'pump')).toContain('provider_slow')
  provider.behave(outages[0]![1])
  const hasLate = async () => JSON.stringify((await group.settings('pump')).body).includes('late primary')
  await expect.poll(hasLate, { interval: 200 }).toBe(true)
})

test('keys that are stored while the field is switched off are deleted with the others', async () => {
  const group = await makeOfflineGroup()
  await bootOnce(group, 'pump')
  const { pool } = platform.ctx
  const change = await pool.connect()
  await change.query('begin')
  await change.query('update enrollment_groups set offline_settings = false where id = $1', [group.groupId])
  await change.query('delete from onboarding_credentials where enrollment_group_id = $1', [group.groupId])
  const {
    rows: [{ registeredAt }],
  } = await pool.query(
    'select created_at::text as "registeredAt" from onboarding_devices where enrollment_group_id = $1',
    [group.groupId],
  )
  const place = {
    tenantId: 'default',
    groupId: group.groupId,
    deviceId: 'pump',
    provider: 'any',
    registeredAt,
  }
  const received = { ...place, credentials: fakeCredentials('pump'), receivedAt: new Date() }
  const upserted = upsertCredentials(pool, platform.ctx.sealer, [received])
  await Promise.race([untilBlocked(pool), upserted])
  await change.query('commit')
  change.release()
  await upserted
  expect(await readRow(group.groupId, 'pump')).toBeUndefined()
})

test.each([
  ['keys', 200],
  ['that there is no client', 404],
])('a late answer (%s) is not of a device that was registered again', async (_what, status) => {
  const group = await makeOfflineGroup()
  await group.add('pump')
  await group.provision('pump')
  let answer: (() => void) | undefined
  const old = { primaryKey: 'old primary', secondaryKey: 'old secondary' }
  provider.behave((_request, response) => {
    answer = () => response.writeHead(status).end(JSON.stringify(status === 200 ? old : {}))
  })
  const asked = group.settings('pump')
  await expect.poll(() => answer).toBeDefined()
  provider.behave()
  await platform.delete(`/api/enrollment-groups/${group.groupId}/devices/pump`)
  await group.add('pump')
  await group.provision('pump')
  if (status === 404) expect((await group.settings('pump')).status).toBe(200)
  if (status === 404) await expect.poll(() => readRow(group.groupId, 'pump')).toBeDefined()
  answer!()
  expect((await asked).status).toBe(status === 200 ? 200 : 502)
  // Written after everything that came before it.
  await bootOnce(group, 'marker')
  if (status === 200) expect(await readRow(group.groupId, 'pump')).toBeUndefined()
  else expect(await readRow(group.groupId, 'pump')).toBeDefined()
})

test('a provider that is always slow still answers a device without stored keys', async () => {
  const group = await makeOfflineGroup()
  await bootOnce(group, 'pump')
  await group.add('new')
  await group.provision('new')
  provider.behave((_request, response) => {
    const keys = { primaryKey: 'slow primary', secondaryKey: 'slow secondary' }
    setTimeout(() => response.writeHead(200).end(JSON.stringify(keys)), PROVIDER_BUDGET_MS * 1.25)
  })
  const boots = await Promise.all(Array.from({ length: 3 }, () => group.settings('pump')))
  expect(boots.map(({ status }) => status)).toEqual([200, 200, 200])
  await group.settings('pump')
  expect(await codes(group, 'pump')).toContain('provider_paused')
  const { status, body } = await group.settings('new')
  expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining('slow primary')])
})

test('stored keys that cannot be opened count as missing, and do not fail other devices', async () => {
  const group = await makeOfflineGroup()
  await bootOnce(group, 'damaged')
  await bootOnce(group, 'sound')
  await platform.ctx.pool.query(
    `update onboarding_credentials set credentials_sealed = '\\x00' where device_id = 'damaged' and enrollment_group_id = $1`,
    [group.groupId],
  )
  provider.behave(outages[0]![1])
  const answers = await Promise.all(['damaged', 'sound'].map((id) => group.settings(id)))
  expect(answers.map(({ status }) => status)).toEqual([502, 200])
})

test.each([
  { offline_settings: 'yes' },
  { offline_settings_max_age_seconds: 0 },
  { offline_settings_max_age_seconds: 1.5 },
])('a group refuses %j', async (fields) => {
  const { groupId } = await makeGroup(platform)
  expect((await platform.put(`/api/enrollment-groups/${groupId}`, fields)).status).toBe(400)
})

test('a group shows the fields', async () => {
  const { groupId } = await makeOfflineGroup({ offline_settings_max_age_seconds: 5 })
  expect((await platform.get(`/api/enrollment-groups/${groupId}`)).body).toMatchObject({
    offline_settings: true,
    offline_settings_max_age_seconds: 5,
  })
})
