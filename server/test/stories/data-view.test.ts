/**
 * Calls every route with an API token that is limited to `data_view`, and as a user with only that privilege: they can
 * read telemetry, assets, alarms, dashboards and provider clients, and change nothing.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type Platform } from '../harness/platform.ts'
import { readTenant } from '../harness/twin-tenant.ts'
import { makeUser, relate, type TestUser } from '../harness/users.ts'
import { callRow, type Row } from './every-route/row.ts'
import { makeRows } from './every-route/table.ts'
import { makeEverything, type World } from './every-route/world.ts'

/** Routes that the privilege opens. */
const data = [
  'GET /v1/alarms',
  'GET /v1/alarms/status',
  'GET /v1/alarms/status/entity/{entityId}',
  'GET /v1/alarms/status/history',
  'GET /v1/alarms/status/{alarmStatusId}',
  'GET /v1/alarms/{alarmId}',
  'GET /v1/assets',
  'GET /v1/assets/{assetId}',
  'GET /v1/assets/{assetId}/bindings',
  'GET /v1/assets/{assetId}/commands/{commandName}',
  'GET /v1/assets/{assetId}/commands/{commandName}/history',
  'GET /v1/assets/{assetId}/properties/desired',
  'GET /v1/assets/{assetId}/properties/reported',
  'GET /v1/certificates',
  'GET /v1/certificates/forecast',
  'GET /v1/certificates/{certificateId}',
  'GET /v1/certificates/{certificateId}/pem',
  'GET /v1/dashboards',
  'GET /v1/dashboards/{dashboardId}',
  'GET /v1/overview',
  'GET /v1/provider-client/firmware-update/status',
  'GET /v1/provider-clients',
  'GET /v1/providers/{providerId}/clients',
  'GET /v1/providers/{providerId}/clients/{clientId}',
  'GET /v1/providers/{providerId}/clients/{clientId}/bindings',
  'GET /v1/providers/{providerId}/clients/{clientId}/connections',
  'GET /v1/providers/{providerId}/clients/{clientId}/dead-letters',
  'GET /v1/providers/{providerId}/clients/{clientId}/dead-letters/{deadLetterId}',
  'GET /v1/providers/{providerId}/clients/{clientId}/firmware-update',
  'GET /v1/providers/{providerId}/clients/{clientId}/firmware-updates',
  'GET /v1/providers/{providerId}/clients/{clientId}/limits',
  'GET /v1/providers/{providerId}/clients/{clientId}/properties/desired',
  'GET /v1/providers/{providerId}/clients/{clientId}/properties/reported',
  'POST /v1/providers/{providerId}/clients/{clientId}/dead-letters/{deadLetterId}/try',
  'POST /v1/timeseries/get',
  'POST /v1/timeseries/get/last',
]
/** Routes about the token itself, or with the same answer for all callers. */
const own = [
  'GET /v1/api-tokens',
  'GET /v1/auth/me',
  'GET /v1/endpoints',
  'GET /v1/realtime/subscriptions',
  'GET /v1/themes/current',
  'POST /v1/realtime/negotiate',
]
/** Its own live connection, which does not exist here. */
const ofConnection = [
  'POST /v1/realtime/subscriptions',
  'PUT /v1/realtime/subscriptions/{subscriptionId}',
  'DELETE /v1/realtime/subscriptions/{subscriptionId}',
]

let platform: Platform
let world: World
let rows: Record<string, Row>
let token: string
let reader: TestUser
let secrets: string[]
beforeAll(async () => {
  platform = await startPlatform()
  world = await makeEverything(platform)
  Object.assign(platform.ctx.endpoints, { mqtt: 'mqtt://127.0.0.1:1', mqtts: 'mqtts://127.0.0.1:1' })
  rows = makeRows(world)
  expect((await platform.post(`/v1/assets/${world.ids.tank}/commands/drain`, {})).status).toBe(202)
  secrets = await makeSecrets()
  token = (await platform.post('/v1/api-tokens', { displayName: 'chart', privileges: ['data_view'] })).body
    .token
  reader = await makeUser(platform)
  await relate(platform, `${reader.id} data_viewer organization:${world.ids.organization}`)
})
afterAll(() => platform[Symbol.asyncDispose]())

/** Creates secrets of the client that the test reads. @returns the secrets */
async function makeSecrets(): Promise<string[]> {
  const url = `/v1/providers/mqtt/clients/${world.ids.client}`
  const providerData = { password: 'a password of the provider' }
  expect((await platform.patch(url, { providerData })).status).toBe(200)
  const { primaryKey, secondaryKey } = (await platform.get(`${url}/credentials`)).body
  return [primaryKey, secondaryKey, providerData.password]
}

async function walk(caller: string) {
  const answers: Record<string, { status: number; text: string; message?: string }> = {}
  for (const [route, row] of Object.entries(rows)) {
    const { status, body } = await callRow(platform, route, row, caller)
    answers[route] = { status, text: JSON.stringify(body) ?? '', message: body?.message }
  }
  return answers
}

const withStatus = (answers: Awaited<ReturnType<typeof walk>>, status: number) =>
  Object.keys(answers).filter((route) => answers[route]!.status === status)

test('a token of data_view alone reads data, and every other route refuses it', async () => {
  const before = await readTenant(platform.ctx.db, 'default')
  const answers = await walk(token)
  expect(withStatus(answers, 200).toSorted()).toEqual([...data, ...own].toSorted())
  expect(withStatus(answers, 404).toSorted()).toEqual(ofConnection.toSorted())
  const rest = Object.keys(rows).filter((route) => ![...data, ...own, ...ofConnection].includes(route))
  expect(withStatus(answers, 403).toSorted()).toEqual(rest.toSorted())
  for (const { text } of Object.values(answers))
    for (const secret of secrets) expect(text).not.toContain(secret)
  expect(await readTenant(platform.ctx.db, 'default')).toEqual(before)
})

test('the lists show the token all objects', async () => {
  for (const [list, id] of [
    ['/v1/assets', world.ids.asset],
    ['/v1/alarms', world.ids.alarm],
    ['/v1/alarms/status', world.ids.alarmStatus],
    ['/v1/dashboards', world.ids.dashboard],
    ['/v1/providers/mqtt/clients', world.ids.client],
  ] as const)
    for (const caller of [token, reader.token])
      expect(JSON.stringify((await platform.get(list, { token: caller })).body)).toContain(id)
})

test('a token with another privilege besides may change what that privilege covers, and no alarm status', async () => {
  const { body } = await platform.post('/v1/api-tokens', {
    displayName: 'both',
    privileges: ['data_view', 'dashboard_management'],
  })
  const callStatus = async (route: string) =>
    (await callRow(platform, route, rows[route]!, body.token)).status
  expect(await callStatus('PATCH /v1/dashboards/{dashboardId}')).toBe(200)
  expect(await callStatus('PATCH /v1/assets/{assetId}')).toBe(403)
  expect(await callStatus('PUT /v1/alarms/status/acknowledge/{alarmStatusId}')).toBe(403)
})

test('the credentials of a client are refused', async () => {
  const url = `/v1/providers/mqtt/clients/${world.ids.client}/credentials`
  expect((await platform.get(url, { token })).status).toBe(403)
  expect((await platform.get(url, { token: reader.token })).status).toBe(403)
})

/** A user's own tokens and queries about visible objects: they require no privilege. */
const ofEveryUser = [
  'POST /v1/api-tokens',
  'POST /v1/parsers/try',
  'POST /v1/permissions/check',
  'POST /v1/permissions/explain',
  'POST /v1/permissions/query',
  'POST /v1/permissions/resources',
  'POST /v1/permissions/subjects',
  'POST /v1/privileges/check',
  'POST /v1/relations/query',
]

test('a user with data_view alone reads the same and changes nothing', async () => {
  const answers = await walk(reader.token)
  const changed = Object.keys(answers).filter(
    (route) =>
      answers[route]!.status < 400 &&
      !route.startsWith('GET ') &&
      ![...data, ...own, ...ofEveryUser].includes(route),
  )
  expect(changed).toEqual([])
  for (const route of data) expect([route, answers[route]!.status]).toEqual([route, 200])
  expect(answers['PUT /v1/alarms/status/acknowledge/{alarmStatusId}']).toMatchObject({
    status: 403,
    message: expect.stringContaining('data_view'),
  })
  for (const { text } of Object.values(answers))
    for (const secret of secrets) expect(text).not.toContain(secret)
})
