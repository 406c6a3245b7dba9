import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fakeProviderKey, startFakeProvider, type FakeProvider } from '../../../test/harness/fake-provider.ts'
import { fetchSettings, makeGroup } from '../../../test/harness/enrollment-group.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'

let platform: Platform
let provider: FakeProvider
beforeAll(async () => {
  platform = await startPlatform()
  provider = await startFakeProvider()
})
afterAll(async () => {
  await platform[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const traceUrl = (groupId: string, deviceId: string) =>
  `/api/enrollment-groups/${groupId}/devices/${deviceId}/trace`

/** The outcome and codes of each attempt, newest first. */
async function readTrace(groupId: string, deviceId: string, token = platform.adminToken) {
  const { status, body } = await platform.get(traceUrl(groupId, deviceId), { token })
  expect(status).toBe(200)
  return body.items.map(
    (item: { kind: string; outcome: string; count: number; steps: { code: string }[] }) =>
      `${item.kind} ${item.outcome} ${item.count}: ${item.steps.map(({ code }) => code).join(' ')}`,
  )
}

async function findAttempts(query: string, token = platform.adminToken) {
  const { status, body } = await platform.get(`/api/onboarding/attempts?${query}`, { token })
  expect(status).toBe(200)
  return body
}

describe('the trace of a device [docs/onboarding#decision-trace]', () => {
  test('has each step on the way from a wrong key to the settings', async () => {
    const group = await makeGroup(platform)
    await group.add('pump-1')
    await group.settings('pump-1', 'wrong')
    await group.settings('pump-1', 'wrong again')
    await group.settings('pump-1')
    await group.provision('pump-1')
    await group.settings('pump-1')
    await group.provision('pump-1')
    expect(await readTrace(group.groupId, 'pump-1')).toEqual([
      'provisioning succeeded 1: group_enabled device_registered already_provisioned',
      'settings succeeded 1: device_found bootstrap_key_accepted group_enabled device_provisioned credentials_received settings_sent',
      'provisioning succeeded 1: group_enabled device_registered client_created enrollment_created',
      'settings refused 1: device_found bootstrap_key_accepted group_enabled device_not_provisioned',
      'settings refused 2: device_found bootstrap_key_wrong',
    ])
  })

  test('says what to do, when, from where and how long', async () => {
    const group = await makeGroup(platform)
    await group.add('pump-2')
    await group.settings('pump-2', 'a secret that is wrong')
    const { body } = await platform.get(traceUrl(group.groupId, 'pump-2'))
    expect(body).toEqual({
      device_id: 'pump-2',
      enrollment_group_id: group.groupId,
      items: [
        {
          device_id: 'pump-2',
          enrollment_group_id: group.groupId,
          kind: 'settings',
          outcome: 'refused',
          code: 'bootstrap_key_wrong',
          what_to_do: expect.stringContaining('bootstrap key'),
          address: '127.0.0.1',
          started_at: expect.stringMatching(/Z$/),
          first_started_at: expect.stringMatching(/Z$/),
          count: 1,
          duration_ms: expect.any(Number),
          steps: [
            { code: 'device_found', meaning: expect.any(String), message: null, what_to_do: null },
            {
              code: 'bootstrap_key_wrong',
              meaning: expect.any(String),
              message: null,
              what_to_do: expect.stringContaining('bootstrap key'),
            },
          ],
        },
      ],
    })
    expect(JSON.stringify(body)).not.toContain('a secret')
  })

  test('distinguishes a bootstrap key that its group does not accept, and a derived key', async () => {
    const group = await makeGroup(platform, { group: { key_policy: 'derived_only' } })
    await group.add('derived')
    await group.settings('derived')
    expect(await readTrace(group.groupId, 'derived')).toEqual([
      'settings refused 1: device_found bootstrap_key_not_allowed',
    ])
  })

  test('has the answer of a provider, and a group that is disabled', async () => {
    const group = await makeGroup(platform, {
      target: { provider_base_url: provider.url, provider_api_key: fakeProviderKey },
    })
    await group.add('elsewhere')
    await group.provision('elsewhere')
    provider.behave((_request, response) => void response.writeHead(500).end('{}'))
    await group.settings('elsewhere')
    provider.behave()
    await platform.put(`/api/enrollment-groups/${group.groupId}`, { status: 'disabled' })
    await group.settings('elsewhere')
    await group.provision('elsewhere')
    expect((await readTrace(group.groupId, 'elsewhere')).slice(0, 3)).toEqual([
      'provisioning refused 1: group_disabled',
      'settings refused 1: device_found bootstrap_key_accepted group_disabled',
      'settings failed 1: device_found bootstrap_key_accepted group_enabled device_provisioned provider_unavailable',
    ])
    const { body } = await platform.get(traceUrl(group.groupId, 'elsewhere'))
    expect(body.items[2].steps.at(-1).message).toContain('answers 500')
  })

  test('of an unknown device is refused, and stays with a device that the provider deleted', async () => {
    const group = await makeGroup(platform)
    const { status, body } = await platform.get(traceUrl(group.groupId, 'nobody'))
    expect([status, body.error]).toEqual([404, 'device_not_registered'])
    await group.add('deleted')
    await group.settings('deleted')
    await platform.ctx.db
      .updateTable('onboarding_devices')
      .set({ status: 'deleted' })
      .where('device_id', '=', 'deleted')
      .execute()
    await group.settings('deleted')
    expect(await readTrace(group.groupId, 'deleted')).toEqual([
      'settings refused 1: device_unknown',
      'settings refused 1: device_found bootstrap_key_accepted group_enabled device_not_provisioned',
    ])
  })

  test('a device without a trace has an empty one', async () => {
    const group = await makeGroup(platform)
    await group.add('silent')
    expect(await readTrace(group.groupId, 'silent')).toEqual([])
  })
})

describe('all attempts [docs/onboarding#decision-trace]', () => {
  test('a device with a typing error in its id is found, page by page', async () => {
    const group = await makeGroup(platform)
    for (const id of ['typo-1', 'typo-2', 'typo-3']) await group.settings(id)
    const { items } = await findAttempts('outcome=refused&device_id=typo-2')
    expect(items).toMatchObject([
      { device_id: 'typo-2', code: 'device_unknown', enrollment_group_id: null, outcome: 'refused' },
    ])
    const first = await findAttempts('outcome=refused&limit=2')
    expect(first.items.map((item: { device_id: string }) => item.device_id)).toEqual(['typo-3', 'typo-2'])
    const next = await findAttempts(`outcome=refused&limit=1&cursor=${first.continuation_token}`)
    expect(next.items.map((item: { device_id: string }) => item.device_id)).toEqual(['typo-1'])
  })

  test('are filtered by kind, and by their outcome', async () => {
    const group = await makeGroup(platform)
    await group.add('filtered')
    await group.provision('filtered')
    await group.settings('filtered')
    await group.settings('filtered', 'wrong')
    const codes = async (query: string) =>
      (await findAttempts(`device_id=filtered${query}`)).items.map((item: { code: string }) => item.code)
    expect(await codes('')).toEqual(['bootstrap_key_wrong', 'settings_sent', 'enrollment_created'])
    expect(await codes('&kind=settings&outcome=succeeded')).toEqual(['settings_sent'])
    expect(await codes('&outcome=failed')).toEqual([])
    expect(await codes('&outcome=unsuccessful')).toEqual(['bootstrap_key_wrong'])
  })

  test('are limited to those since a time, the time included', async () => {
    const group = await makeGroup(platform)
    for (const id of ['since-1', 'since-2']) await group.settings(id)
    const [newest, before] = (await findAttempts('outcome=unsuccessful&limit=2')).items
    const since = async (time: string) =>
      (await findAttempts(`since=${time}`)).items.map((item: { device_id: string }) => item.device_id)
    expect(await since(newest.started_at)).toContain('since-2')
    expect(await since(before.started_at)).toEqual(['since-2', 'since-1'])
    expect(await since('2999-01-01T00:00:00Z')).toEqual([])
  })

  test.each([
    'outcome=lost',
    'limit=0',
    'cursor=eA',
    'kind=other',
    'since=yesterday',
    'since=2016-12-31T23:59:60Z',
    'since=2026-01-01T00:00:00Z[Europe/Berlin]',
    'unknown=1',
  ])('refuses %s', async (query) => {
    expect((await platform.get(`/api/onboarding/attempts?${query}`)).status).toBe(400)
  })
})

describe('whose attempts [docs/onboarding#whose-attempts]', () => {
  test('a tenant sees its own; ids that no tenant has are seen by owners of the environment', async () => {
    const { token } = await platform.makeTenant('acme')
    const group = await makeGroup(platform, { token })
    await group.add('of-acme')
    await group.settings('of-acme', 'wrong')
    await fetchSettings(platform, 'of-nobody', group.bootstrapKey)
    const ids = async (query: string, reader?: string) =>
      (await findAttempts(query, reader)).items.map((item: { device_id: string }) => item.device_id)
    expect(await ids('', token)).toEqual(['of-acme'])
    expect(await ids('device_id=of-nobody', token)).toEqual([])
    expect(await ids('device_id=of-nobody')).toEqual(['of-nobody'])
    expect(await ids('device_id=of-acme')).toEqual([])
    expect((await platform.get(traceUrl(group.groupId, 'of-acme'))).status).toBe(404)
  })

  test('with a wrong key for an id that two tenants have, neither learns of the other', async () => {
    const { token } = await platform.makeTenant('rival')
    const target = { provider_base_url: provider.url, provider_api_key: fakeProviderKey }
    const [ours, theirs] = [
      await makeGroup(platform, { target }),
      await makeGroup(platform, { target, token }),
    ]
    await ours.add('twin')
    await theirs.add('twin')
    await ours.settings('twin', 'wrong')
    await theirs.settings('twin')
    expect(await readTrace(theirs.groupId, 'twin', token)).toEqual([
      'settings refused 1: device_found bootstrap_key_accepted group_enabled device_not_provisioned',
    ])
    // The administrator of the tenant `default` owns the environment.
    expect(await readTrace(ours.groupId, 'twin')).toEqual([
      'settings refused 1: device_found bootstrap_key_wrong',
    ])
  })

  test('a token without the privilege reads neither', async () => {
    const { body } = await platform.post('/v1/api-tokens', {
      displayName: 'limited',
      privileges: ['alarm_management'],
    })
    const group = await makeGroup(platform)
    await group.add('hidden')
    for (const url of [traceUrl(group.groupId, 'hidden'), '/api/onboarding/attempts'])
      expect((await platform.get(url, { token: body.token })).status).toBe(403)
  })
})
