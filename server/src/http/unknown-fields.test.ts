import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, makePumpModel } from '../../test/harness/assets.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { apiRoutes } from '../routes.ts'
import type { ApiError, Issue } from './errors.ts'
import { inputReader, unknownFieldPolicy, unknownParameterPolicy } from './read-input.ts'
import type { Route } from './route.ts'
import { createUnknownFieldFinder } from './unknown-fields.ts'

/** A newer client may send fields that this version does not know. */
const ignoring = [
  '/api/enrollment-groups',
  '/api/enrollment-groups/{id}/devices',
  '/api/routing-targets',
  '/v1/alarms',
  '/v1/api-tokens',
  '/v1/assets',
  '/v1/assets/{assetId}/bind',
  '/v1/auth/login',
  '/v1/binding-descriptions',
  '/v1/contactgroups',
  '/v1/dashboards',
  '/v1/dashboards/{dashboardId}/api-tokens',
  '/v1/firmware/deployment-templates',
  '/v1/firmware/releases',
  '/v1/groups',
  '/v1/method-templates',
  '/v1/models',
  '/v1/notifications',
  '/v1/notifications/{notificationId}/subscribers',
  '/v1/organization-templates',
  '/v1/organizations',
  '/v1/provider-templates',
  '/v1/providers',
  '/v1/providers/{providerId}/clients',
  '/v1/providers/{providerId}/webhooks',
  '/v1/realtime/subscriptions',
  '/v1/relations',
  '/v1/resources',
  '/v1/simulations',
  '/v1/tenants',
  '/v1/tree/edges',
  '/v1/tree/nodes',
  '/v1/users',
]
/** Queries, and actions that cannot be undone or that send something out. */
const refusing = [
  '/v1/providers/{providerId}/clients/{clientId}/dead-letters/{deadLetterId}/try',
  '/v1/auth/oidc',
  '/api/enrollment-groups/preview',
  '/api/enrollment-groups/{id}/keys/derive',
  '/api/enrollment-groups/{id}/devices/{deviceId}/certificates/revoke',
  '/provision_device',
  '/v1/alarms/backtest',
  '/v1/assets/migrate',
  '/v1/assets/{assetId}/bindings/preview',
  '/v1/assets/{assetId}/commands/{commandName}',
  '/v1/assets/{assetId}/commands/{commandName}/cancel',
  '/v1/assets/{assetId}/replace-device',
  '/v1/auth/logout',
  '/v1/auth/password',
  '/v1/auth/password-reset',
  '/v1/auth/password-reset/confirm',
  '/v1/auth/refresh',
  '/v1/certificate-authorities/import',
  '/v1/certificate-authorities/{authorityId}/revoke',
  '/v1/firmware/deployments',
  '/v1/firmware/deployments/preview',
  '/v1/notifications/{notificationId}/test',
  '/v1/parsers/try',
  '/v1/permissions/check',
  '/v1/permissions/explain',
  '/v1/permissions/query',
  '/v1/permissions/resources',
  '/v1/permissions/subjects',
  '/v1/privileges/check',
  '/v1/privileges/query',
  '/v1/provider-client/firmware-update/cancel',
  '/v1/providers/{providerId}/clients/validate',
  '/v1/providers/{providerId}/clients/{clientId}/methods',
  '/v1/providers/{providerId}/clients/{clientId}/provision',
  '/v1/relations/delete',
  '/v1/relations/impact',
  '/v1/relations/query',
  '/v1/simulations/{simulationId}/faults',
  '/v1/timeseries/get',
  '/v1/timeseries/get/last',
  '/v1/tree/edges/delete',
  '/v1/tree/move',
]
const ignoringParameters = [
  'GET /.well-known/jwks.json',
  'GET /ack/{token}',
  'GET /docs',
  'GET /docs/{asset}',
  'GET /healthz',
  'GET /metrics',
  'GET /openapi.json',
  'GET /readyz',
  'GET /v1/files/{token}',
  'POST /ack/{token}',
  'POST /api/webhooks/provider-events',
]

let platform: Platform
let routes: Route[]
beforeAll(async () => {
  platform = await startPlatform()
  routes = apiRoutes(platform.ctx, platform.parts)
})
afterAll(() => platform[Symbol.asyncDispose]())

const routeName = ({ method, url }: Route) => `${method} ${url}`
const namesWhere = (is: (route: Route) => boolean) => routes.filter(is).map(routeName).toSorted()

test('each POST with a body either creates a record and ignores unknown fields, or refuses them', () => {
  const ofKind = (kind: string) =>
    namesWhere(
      (route) => route.method === 'POST' && Boolean(route.body) && unknownFieldPolicy(route) === kind,
    )
  expect(ofKind('ignore')).toEqual(ignoring.map((url) => `POST ${url}`).toSorted())
  expect(ofKind('refuse')).toEqual(refusing.map((url) => `POST ${url}`).toSorted())
})

test('each PUT replaces a record and ignores unknown fields, and each PATCH refuses them', () => {
  const ofKind = (method: string, kind: string) =>
    namesWhere(
      (route) => route.method === method && Boolean(route.body) && unknownFieldPolicy(route) === kind,
    )
  expect(ofKind('PUT', 'refuse')).toEqual([])
  expect(ofKind('PATCH', 'ignore')).toEqual([])
  expect(ofKind('PATCH', 'refuse').length).toBeGreaterThan(10)
})

test('a PATCH accepts the record as it was read, and refuses a misspelt field with the right name', async () => {
  const path = '/v1/tenants/default'
  const { body: record } = await platform.get(path)
  const sentBack = await platform.patch(path, { ...record, telemetryRetentionDays: 30 })
  expect([sentBack.status, sentBack.body.telemetryRetentionDays]).toEqual([200, 30])
  const misspelt = await platform.patch(path, { telemetryRetentionDay: 5, oidc: { isuer: 'x' } })
  expect(misspelt.status).toBe(400)
  expect(misspelt.body.message).toContain('Did you mean telemetryRetentionDays?')
  expect(misspelt.body.message).toContain('oidc.isuer: is no known field. Did you mean issuer?')
  expect((await platform.get(path)).body.telemetryRetentionDays).toBe(30)
})

test('every record can be sent back as it is: PATCH knows all fields of its answer', () => {
  const wrong = routes.filter((route) => {
    const names = Object.keys((route.response[200] as { properties?: object } | null)?.properties ?? {})
    const body = Object.fromEntries(names.map((name) => [name, null]))
    return (
      route.method === 'PATCH' &&
      listIssues(route, { body }).some(({ message }) => message.startsWith('is no known'))
    )
  })
  expect(wrong.map(routeName)).toEqual([])
})

test('a field name of other platforms is refused with the name to use', async () => {
  const { status, body } = await platform.post('/v1/timeseries/get', { timeBucket: 'PT5M' })
  expect(status).toBe(400)
  expect(body.message).toContain('timeBucket: is no known field. Did you mean aggregationInterval?')
})

test('only links, probes and webhooks ignore unknown query parameters', () => {
  expect(namesWhere((route) => unknownParameterPolicy(route) === 'ignore')).toEqual(
    ignoringParameters.toSorted(),
  )
})

test('every route treats unknown query parameters as described', () => {
  const wrong = routes.filter((route) => {
    const isRefused = listIssues(route, { query: { zzz: '1' } }).some(({ path }) => path === 'zzz')
    return isRefused !== (unknownParameterPolicy(route) === 'refuse')
  })
  expect(wrong.map(routeName)).toEqual([])
})

test('every route treats unknown fields as described; one without a body refuses all of them', () => {
  const wrong = routes.filter((route) => {
    if (route.rawBody) return false
    const issues = listIssues({ ...route, query: undefined }, { body: { zzz: '1' } })
    return issues.some(({ path }) => path === 'zzz') !== (unknownFieldPolicy(route) === 'refuse')
  })
  expect(wrong.map(routeName)).toEqual([])
})

function listIssues(route: Route, given: { query?: object; body?: unknown }): Issue[] {
  const request = { params: {}, query: {}, url: route.url, ...given } as unknown as FastifyRequest
  try {
    inputReader({ ...route, params: undefined })(request, {} as FastifyReply)
    return []
  } catch (error) {
    return (error as ApiError).details.issues as Issue[]
  }
}

test.each<[string, TSchema, unknown, string[]]>([
  ['a field', Type.Object({ a: Type.String() }), { a: '1', b: 2 }, ['b']],
  ['a field of __proto__', Type.Object({}), JSON.parse('{"constructor": 1}'), ['constructor']],
  ['a nested field', Type.Object({ a: Type.Object({ b: Type.Null() }) }), { a: { c: 1 } }, ['a.c']],
  ['a field in a list', Type.Array(Type.Object({ a: Type.Null() })), [{ a: null }, { b: 1 }], ['1.b']],
  ['nothing in free JSON', Type.Object({ a: Type.Unknown() }), { a: { any: 1 } }, []],
  ['nothing in an open object', Type.Object({}, { additionalProperties: true }), { any: 1 }, []],
  ['nothing in a record', Type.Record(Type.String(), Type.Number()), { any: 1 }, []],
  [
    'what no branch has',
    Type.Union([Type.Object({ a: Type.Null() }), Type.Object({ b: Type.Null() })]),
    { b: null, c: 1 },
    ['c'],
  ],
  ['nothing of a wrong type', Type.Object({ a: Type.String() }), [{ b: 1 }], []],
])('finds %s', (_what, schema, value, paths) => {
  const issues = [...createUnknownFieldFinder([schema], { noun: 'field' })(value)]
  expect(issues.map(({ path }) => path)).toEqual(paths)
})

test('a command with a delay is refused with the fields that commands have', async () => {
  await makePumpModel(platform)
  await insertAsset(platform, 'pump')
  const answer = await platform.post('/v1/assets/pump/commands/open', { delay: 5, payloud: 1 })
  expect([answer.status, answer.body.details.issues]).toEqual([
    400,
    [
      {
        path: 'delay',
        message: 'is no known field. Known: payload, componentId, expiresAfterSeconds.',
      },
      { path: 'payloud', message: expect.stringContaining('Did you mean payload?') },
    ],
  ])
})

test('an unknown query parameter is refused with the nearest known one', async () => {
  const answer = await platform.get('/v1/api-tokens?limt=1')
  expect([answer.status, answer.body.details.issues]).toEqual([
    400,
    [{ path: 'limt', message: 'is no known query parameter. Did you mean limit? Known: limit, cursor.' }],
  ])
})

test('a flip with fields in its body is refused, and one with an empty object is accepted', async () => {
  const path = '/api/enrollment-groups/0190b0f0-0000-7000-8000-000000000000/keys/flip'
  expect((await platform.post(path, { if_ready: true })).body.message).toContain('if_ready')
  expect((await platform.post(path, [])).body.message).toContain('body')
  expect((await platform.post(path, {})).status).toBe(404)
})

test('names of any length and with any character are shown in a readable form', async () => {
  const { body } = await platform.post('/v1/permissions/check', { ['x\u0007'.repeat(10_000)]: 1 })
  const { path } = body.details.issues[0]
  expect(path.length).toBe(128)
  expect(path).not.toContain('\u0007')
})
