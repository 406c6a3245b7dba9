/**
 * `npm run rotate-secret-key` on the data directory of a used server: all sealed values open with the new key only, also
 * if the rotation was killed between the key file and the database and then repeated.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { fetchSettings, prepareOnboarding } from '../harness/onboarded-device.ts'
import { adminPassword, type Api, apiAt, logIn } from '../harness/platform.ts'
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts'
import { startStandInHub } from '../harness/stand-in-hub.ts'
import { startWebhookReceiver } from '../harness/webhook-receiver.ts'

const rotation = fileURLToPath(new URL('../../dist/cli/rotate-secret-key.js', import.meta.url))
const WEBHOOK_SECRET = 'the secret of a webhook'

/** Runs the command like the npm script, on a built server. */
const startRotation = (dataDir: string): ChildProcess =>
  spawn(process.execPath, ['-e', `import(${JSON.stringify(rotation)}).then((m) => m.runRotation())`], {
    env: { PATH: process.env.PATH, GANGWAY_DATA_DIR: dataDir },
    stdio: ['ignore', 'inherit', 'inherit'],
  })

const readKeys = async ({ dataDir }: ServerProcess) =>
  (await readFile(join(dataDir, 'secret.key'), 'utf8')).split('\n').filter(Boolean)

/** A webhook receiver that checks signatures. */
const startReceiver = () =>
  startWebhookReceiver((body, headers) => {
    const signature = createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex')
    return headers['x-webhook-signature'] === signature
  })

const createRequest = (api: Api, token: string) => async (method: string, path: string, body?: unknown) => {
  const answer = await api(method, path, body, { token })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

test('after a rotation that was killed half way and repeated, every secret opens with the new key', async () => {
  await using server = await startServerProcess({ GANGWAY_OUTBOUND_ALLOW: 'loopback' })
  await using hub = await startStandInHub()
  await using receiver = await startReceiver()
  const api = apiAt(server.endpoints.http)
  const token = await logIn(api, 'admin@example.com', adminPassword)
  const request = createRequest(api, token)
  const onboarding = await prepareOnboarding(api, token, server.endpoints.http, 1)
  const device = await onboarding.onboard('pump-7')
  await request('POST', '/v1/providers/mqtt/webhooks', { url: receiver.url, secret: WEBHOOK_SECRET })
  const { organizationId } = await request('GET', '/v1/providers/mqtt')
  const { connectionString } = hub
  await request('PUT', '/v1/providers/hub', {
    type: 'iothub',
    displayName: 'hub',
    organizationId,
    connectionString,
  })
  const before = await readKeys(server)
  await server.kill('SIGTERM')

  // The file contains both keys while secrets are resealed.
  const killed = startRotation(server.dataDir)
  await expect.poll(() => readKeys(server), { interval: 1 }).toHaveLength(2)
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  expect(await readKeys(server)).toHaveLength(2)
  expect(await once(startRotation(server.dataDir), 'exit')).toEqual([0, null])
  const after = await readKeys(server)
  expect(after).toHaveLength(1)
  expect(before).not.toContain(after[0])
  await server.start()

  // A token from before the rotation: its signing key is sealed.
  expect(await request('GET', '/v1/auth/me')).toMatchObject({ tenantId: 'default' })
  // Bootstrap key, the target's API key, and the device's keys.
  expect(await fetchSettings(api, 'pump-7', onboarding.bootstrapKey)).toEqual(device)
  const event = JSON.stringify({ id: 'e1', event: 'device.unknown', device_id: 'pump-7' })
  const signature = createHmac('sha256', 'a webhook secret').update(event).digest('hex')
  const headers = { 'x-webhook-signature': signature, 'content-type': 'application/json' }
  expect((await api('POST', '/api/webhooks/provider-events', event, { headers })).status).toBe(202)
  await request('POST', '/v1/providers/hub/clients', { id: 'hub-1', displayName: 'hub-1' })
  await request('POST', '/v1/providers/mqtt/clients', { id: 'pump-8', displayName: 'pump-8' })
  await request('DELETE', '/v1/providers/mqtt/clients/pump-8')
  await expect.poll(() => receiver.received).toEqual([true])
})
