/**
 * Calls every route of the OpenAPI description without a token, as an administrator of another tenant, as a member
 * without rights, as a viewer, as an authorized user, and as the administrator of a tenant that has the same ids. A route
 * that is not in the table fails.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform, type TestAnswer } from '../harness/platform.ts'
import { makeTwin, OF_THE_TWIN, readTenant } from '../harness/twin-tenant.ts'
import { recordStatements, type Recorder } from '../harness/executed-statements.ts'
import { findOrphanRelations } from '../harness/orphan-relations.ts'
import { findTablesWithoutTenant, listTenantTables } from '../harness/tenant-conditions.ts'
import { callRow, type Row } from './every-route/row.ts'
import { openRoutes, otherwiseGuarded, overTlsOnly, makeRows } from './every-route/table.ts'
import { withoutTenant } from './every-route/without-tenant.ts'
import { makeEverything, OF_THE_WORLD, type World } from './every-route/world.ts'

interface Operation {
  security: Record<string, unknown>[]
}

let platform: Platform
let world: World
let executed: Recorder
let operations: Map<string, Operation>
beforeAll(async () => {
  executed = recordStatements()
  platform = await startPlatform()
  world = await makeEverything(platform)
  // One route answers the address of the broker, which is not running here.
  Object.assign(platform.ctx.endpoints, { mqtt: 'mqtt://127.0.0.1:1', mqtts: 'mqtts://127.0.0.1:1' })
  const { status, body } = await platform.get('/openapi.json', { token: null })
  expect([status, body.message]).toEqual([200, undefined])
  operations = new Map(
    Object.entries<Record<string, Operation>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    ),
  )
})
afterAll(() => {
  executed[Symbol.dispose]()
  return platform[Symbol.asyncDispose]()
})

/** The body does not matter: access is checked before it. */
const otherwiseRow: Row = {
  at: {},
  body: undefined,
  headers: {},
  otherTenant: 401,
  withoutRights: 401,
  viewer: 401,
  allowedStatus: 401,
}

const call = (route: string, row: Row, token: string | null) => callRow(platform, route, row, token)

/** Describes a wrong answer; undefined if the answer is as expected. */
function findProblem(route: string, who: string, { status, body }: TestAnswer, expected: Row['otherTenant']) {
  const got = `${route} answered ${who} ${status} ${JSON.stringify(body)?.slice(0, 300)}`
  if (expected !== 'nothing') {
    if (status !== expected) return `${got}, not ${expected}`
    const isPlatform = route.includes(' /v1/')
    return expected === 403 && isPlatform && !body.details.required
      ? `${got}, which names nothing required`
      : undefined
  }
  const text = JSON.stringify(body)
  const seen = Object.keys(world.ids).filter((name) => text.includes(world.ids[name]!))
  if (status !== 200) return `${got}, not 200`
  return seen.length > 0 ? `${got}, which shows ${seen.join(', ')}` : undefined
}

test('the table has every route, and no other', () => {
  const known = [...Object.keys(makeRows(world)), ...openRoutes, ...otherwiseGuarded, ...overTlsOnly]
  const unknown = [...operations.keys()].filter((route) => !known.includes(route))
  const gone = known.filter((route) => !operations.has(route))
  expect({ unknown, gone }).toEqual({ unknown: [], gone: [] })
})

test('open routes are described as open, and no others are', () => {
  const open = [...operations].filter(([, { security }]) => security.length === 0).map(([route]) => route)
  expect(open.toSorted()).toEqual(openRoutes.toSorted())
})

test('without a token every other route answers 401', async () => {
  const rows = makeRows(world)
  const wrong: string[] = []
  for (const route of operations.keys()) {
    if (openRoutes.includes(route) || overTlsOnly.includes(route)) continue
    const row = rows[route] ?? otherwiseRow
    for (const token of [null, 'nonsense']) {
      const { status } = await call(route, row, token)
      if (status !== 401) wrong.push(`${route} answered ${status}`)
    }
  }
  expect(wrong).toEqual([])
})

test('routes for TLS alone are refused over plain HTTP', async () => {
  for (const route of overTlsOnly) {
    const at = { enrollmentGroupId: world.ids.group! }
    expect([route, (await call(route, { ...otherwiseRow, at }, null)).status]).toEqual([route, 403])
  }
})

test('a tenant cannot view or change the objects of another tenant with the same ids', async () => {
  const { db } = platform.ctx
  const twin = await makeTwin(platform, 'calling-twin')
  const before = await readTenant(db, 'default')
  const problems: string[] = []
  for (const [route, row] of Object.entries(makeRows(world))) {
    if (!operations.has(route)) continue
    const { status, body } = await call(route, row, twin.token)
    if (status >= 500) problems.push(`${route} answered ${status}`)
    if (JSON.stringify(body)?.includes(OF_THE_WORLD)) problems.push(`${route} shows what is the other's`)
  }
  expect(problems).toEqual([])
  expect(await readTenant(db, 'default')).toEqual(before)
})

test('other tenants find nothing, members without rights are refused, viewers change nothing, and permitted users succeed', async () => {
  // No caller belongs to this tenant: a change in it reveals a query without the tenant.
  await makeTwin(platform, 'bystander')
  const bystander = await readTenant(platform.ctx.db, 'bystander')
  const problems: (string | undefined)[] = []
  for (const [route, row] of Object.entries(makeRows(world))) {
    if (!operations.has(route)) continue
    for (const [who, token, expected] of [
      ['a stranger', world.otherTenant.token, row.otherTenant],
      ['a member', world.withoutRights.token, row.withoutRights],
      ['a viewer', world.viewer.token, row.viewer],
      ['an administrator', platform.adminToken, row.allowedStatus],
    ] as const) {
      const answer = await call(route, row, token)
      problems.push(findProblem(route, who, answer, expected))
      if (JSON.stringify(answer.body)?.includes(OF_THE_TWIN))
        problems.push(`${route} shows ${who} what is the twin's`)
    }
  }
  expect(problems.filter(Boolean)).toEqual([])
  expect(await readTenant(platform.ctx.db, 'bystander')).toEqual(bystander)
})

test('the path without /v1 has the same access rules [docs/api#addresses]', async () => {
  for (const token of [null, world.withoutRights.token])
    expect((await platform.get(`/organizations/${world.ids.organization}`, { token })).status).toBe(
      token ? 403 : 401,
    )
})

test('no relation has outlived its object', async () => {
  expect(await findOrphanRelations(platform.ctx.db, 'default')).toEqual([])
})

test('an API token makes, lists and revokes tokens', async () => {
  const { body: parent } = await platform.post('/v1/api-tokens', { displayName: 'Parent' })
  const { token } = parent
  const { status, body: child } = await platform.post('/v1/api-tokens', { displayName: 'Child' }, { token })
  expect(status).toBe(201)
  expect((await platform.get('/v1/api-tokens', { token })).body).toContainEqual(
    expect.objectContaining({ id: child.id }),
  )
  expect((await platform.delete(`/v1/api-tokens/${parent.id}`, { token })).status).toBe(204)
})

test('every executed statement names the tenant, except for the listed ones', async () => {
  const { pool } = platform.ctx
  const tables = await listTenantTables(pool)
  const problems: string[] = []
  const unused = new Set(withoutTenant)
  for (const text of executed.texts) {
    const [table] = await findTablesWithoutTenant(pool, text, tables)
    if (table === undefined) continue
    const oneLine = text.trim().replaceAll(/\s+/g, ' ')
    const known = withoutTenant.find(({ begins }) => oneLine.startsWith(begins))
    if (known) unused.delete(known)
    else problems.push(`${table} is not limited to a tenant: ${oneLine}`)
  }
  expect(problems).toEqual([])
  expect([...unused]).toEqual([])
})
