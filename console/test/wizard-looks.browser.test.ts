import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { findAppearanceProblemsOf } from './harness/find-appearance-problems.ts'
import type { Api } from './harness/fixtures.mjs'

const flow = '/onboarding/first-device'
const deviceId = 'device-0001'
const hostile = '<img src=x onerror=alert(1)> \u202Etfel'

describe.skipIf(!hasBrowser())('appearance of home, the first device and the trace', () => {
  let world: TestConsole
  let groupId: string
  beforeAll(async () => {
    world = await startConsole()
    groupId = await prepareDevice(world.api)
    for (const id of [deviceId, hostile])
      await fetch(`${world.url}/get_settings`, {
        headers: { authorization: `Basic ${Buffer.from(`${id}:wrong`).toString('base64')}` },
      })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('has no axe violations and no horizontal overflow', async () => {
    await using another = await world.openSignedIn(flow)
    const prepared = `group=${groupId}&device=${deviceId}`
    const paths = [
      '/',
      '/onboarding/trace',
      flow,
      `${flow}?step=device`,
      `${flow}?step=code&${prepared}`,
      `${flow}?step=value&${prepared}`,
    ]
    const found = await findAppearanceProblemsOf(another, paths, async (page, path) => {
      // These pages ask again and again, and never settle.
      await page.getByRole('heading', { level: 1 }).waitFor()
      if (path.includes('group')) await page.getByText('Wrong key').first().waitFor()
      await page.evaluate('document.fonts.ready.then(() => true)')
    })
    expect(found).toEqual([])
    expect(another.problems).toEqual([])
  })

  test('a user without the permission sees the reason', async () => {
    await using guarded = await world.openSignedIn('/')
    await guarded.page.route('**/api/routing-targets?*', (route) =>
      route.fulfill({ status: 403, json: { error: 'forbidden', message: 'You need provider_management.' } }),
    )
    await guarded.open(flow)
    await guarded.page.getByRole('heading', { name: 'You may not see this' }).waitFor()
    await guarded.page.getByText('You need provider_management.').waitFor()
    expect(guarded.problems).toEqual([])
  })
})

async function prepareDevice(api: Api): Promise<string> {
  const { token } = await api('POST', '/v1/api-tokens', {
    displayName: hostile,
    privileges: ['provider_client_management'],
  })
  const { http, mqtt } = await api('GET', '/v1/endpoints')
  const { id: targetId } = await api('POST', '/api/routing-targets', {
    name: hostile,
    brokers: [{ host: '127.0.0.1', port: Number(new URL(mqtt.replace('mqtt:', 'http:')).port) }],
    provider_base_url: `${http}/v1/providers/mqtt`,
    provider_api_key: token,
    webhook_secret: 'a secret of the test',
  })
  const { id } = await api('POST', '/api/enrollment-groups', {
    name: hostile,
    routing_target_id: targetId,
    response_template: { host: '{{target.host}}', primary: '{{device.primary_key}}' },
  })
  await api('POST', `/api/enrollment-groups/${id}/keys/generate`)
  await api('POST', `/api/enrollment-groups/${id}/devices`, { device_id: deviceId })
  await api('POST', '/provision_device', { device_id: deviceId, enrollment_group_id: id })
  return id
}
