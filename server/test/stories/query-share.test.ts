/** Expensive lists count as queries of their tenant. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../harness/platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

test('the audit log, dead letters, permissions, impact and trees of a tenant wait for its share of queries, and other requests do not', async () => {
  const { ctx } = platform
  const [organization] = (await platform.get('/v1/organizations')).body
  const client = { id: 'pump', displayName: 'Pump', organizationId: organization.id }
  expect((await platform.post('/v1/providers/mqtt/clients', client)).status).toBe(201)
  const resource = { resourceType: 'organization', resourceId: organization.id }
  const subject = { subjectType: 'user', subjectId: (await platform.get('/v1/auth/me')).body.id }
  const permission = { permission: 'view' }
  const { get, post } = platform
  const node = (await post('/v1/tree/nodes', { displayName: 'Hall', organizationId: organization.id })).body
  const relation = { ...resource, ...subject, relation: 'owner' }
  const asks: (() => Promise<{ status: number }>)[] = [
    () => get('/v1/audit-log'),
    () => get('/v1/providers/mqtt/clients/pump/dead-letters'),
    () => post('/v1/permissions/query', { ...resource, ...permission, subjectType: 'user' }),
    () => post('/v1/permissions/query', { ...resource, ...permission, ...subject }),
    () => post('/v1/permissions/resources', { ...subject, ...permission, resourceType: 'asset' }),
    () => post('/v1/permissions/subjects', { ...resource, ...permission, subjectType: 'user' }),
    () => post('/v1/permissions/explain', { ...resource, ...permission, ...subject }),
    () => post('/v1/relations/impact', relation),
    () => get(`/v1/tree?startNodeId=${node.id}`),
  ]
  const statuses = () => Promise.all(asks.map(async (ask) => (await ask()).status))
  expect(await statuses()).toEqual(asks.map(() => 200))
  const open = Array.from({ length: 40 }, () => ctx.queries.open('default'))
  expect(await statuses()).toEqual(asks.map(() => 429))
  expect((await platform.get('/v1/organizations')).status).toBe(200)
  expect(
    (await platform.post('/v1/permissions/check', { ...resource, ...permission, ...subject })).status,
  ).toBe(200)
  for (const query of open) query[Symbol.dispose]()
  expect(await statuses()).toEqual(asks.map(() => 200))
})
