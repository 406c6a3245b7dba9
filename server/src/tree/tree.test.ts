import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, makePumpModel, pumpModel } from '../../test/harness/assets.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../test/harness/users.ts'
import type { Caller } from '../http/access.ts'
import { newId } from '../lib/ids.ts'
import { requireMayContain } from './edges/create-edge.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

const createNode = (body: object = {}, options = {}) =>
  platform.post(
    '/v1/tree/nodes',
    { displayName: 'N', organizationId: platform.organizationId, ...body },
    options,
  )
const makeNode = async (parentNodeId: string | null = null, organizationId = platform.organizationId) =>
  (await createNode({ parentNodeId, organizationId })).body.id as string
const makeDashboard = async () =>
  (await platform.post('/v1/dashboards', { displayName: 'D', organizationId: platform.organizationId })).body
    .id as string
const edge = (fromId: string, toId: string, types: object = {}) => ({
  fromType: 'node',
  fromId,
  toType: 'node',
  toId,
  relation: 'CONTAINS',
  ...types,
})
const connect = (body: object, options = {}) => platform.post('/v1/tree/edges', body, options)
const tree = (startNodeId: string, query = '', options = {}) =>
  platform.get(`/v1/tree?startNodeId=${startNodeId}${query}`, options)
const makeAsset = (id: string) => insertAsset(platform, id)

test('creates a node, at the top and in another [docs/organizations#tree]', async () => {
  const { status, body: top } = await createNode({ displayName: 'Plant', description: 'All of it' })
  expect(status).toBe(201)
  expect(top).toEqual({
    id: top.id,
    displayName: 'Plant',
    description: 'All of it',
    parentNodeId: null,
    organizationId: platform.organizationId,
  })
  const { body: hall } = await createNode({ parentNodeId: top.id })
  expect(hall.parentNodeId).toBe(top.id)
  expect((await platform.get(`/v1/tree/nodes/${hall.id}`)).body).toEqual(hall)
  expect((await platform.get('/v1/tree/nodes')).body).toEqual(expect.arrayContaining([top, hall]))
})

test.each([
  ['no name', { displayName: undefined }],
  ['no organization', { organizationId: undefined }],
  ['a parent that is not an id', { parentNodeId: 'top' }],
])('a node with %s is refused', async (_what, body) => {
  expect((await createNode(body)).body.error).toBe('validation_error')
})

test('the result is the tree below a node, with its edges, to the requested depth [docs/organizations#tree]', async () => {
  const [top, dashboard] = [await makeNode(), await makeDashboard()]
  const hall = await makeNode(top)
  const line = await makeNode(hall)
  await makeAsset('pump-7')
  await connect(edge(line, 'pump-7', { toType: 'asset' }))
  await connect(edge(line, dashboard, { toType: 'dashboard' }))
  const { body } = await tree(top)
  expect(body).toMatchObject({
    id: top,
    displayName: 'N',
    description: null,
    type: 'NODE',
    edge: null,
    details: { modelId: null },
  })
  const [below] = body.children
  expect(below).toMatchObject({
    id: hall,
    edge: { fromType: 'node', fromId: top, toId: hall, relation: 'CONTAINS' },
  })
  expect(below.children[0].children).toMatchObject([
    {
      id: 'pump-7',
      displayName: 'Asset pump-7',
      description: null,
      type: 'ASSET',
      edge: { fromId: line, toType: 'asset', toId: 'pump-7' },
      children: [],
      details: { modelId: pumpModel },
    },
  ])
  expect((await tree(top, '&depth=0')).body.children).toEqual([])
  expect((await tree(top, '&depth=1')).body.children[0].children).toEqual([])
  for (const bad of ['&depth=-1', '&depth=all']) expect((await tree(top, bad)).status).toBe(400)
  expect((await platform.get('/v1/tree')).status).toBe(400)
  expect((await tree(crypto.randomUUID())).status).toBe(404)
})

test('no node contains itself, directly or indirectly; the refusal shows the cycle', async () => {
  const a = await makeNode()
  const b = await makeNode(a)
  const c = await makeNode(b)
  const node = (id: string) => ({ type: 'node', id })
  expect(await connect(edge(c, a))).toMatchObject({
    status: 409,
    body: { error: 'conflict', details: { path: [node(a), node(b), node(c), node(a)] } },
  })
  expect((await connect(edge(a, a))).body.details.path).toEqual([node(a), node(a)])
  expect((await platform.patch(`/v1/tree/nodes/${a}`, { parentNodeId: c })).status).toBe(409)
  expect((await platform.get(`/v1/tree/nodes/${a}`)).body.parentNodeId).toBe(null)
})

test('of concurrent edges that would form a cycle, one is refused', async () => {
  for (let round = 0; round < 5; round++) {
    const [a, b] = [await makeNode(), await makeNode()]
    const answers = await Promise.all([connect(edge(a, b)), connect(edge(b, a))])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
  }
})

test('a node is in at most one other node; an asset may be in several', async () => {
  const [a, b, c] = [await makeNode(), await makeNode(), await makeNode()]
  const made = await connect(edge(a, c))
  expect(made).toMatchObject({ status: 201, body: edge(a, c) })
  expect((await connect(edge(a, c))).status).toBe(409)
  expect((await connect(edge(b, c))).status).toBe(409)
  await makeAsset('shared')
  for (const from of [a, b])
    expect((await connect(edge(from, 'shared', { toType: 'asset' }))).status).toBe(201)
})

test('assets contain assets and dashboards, and are deleted with their edges', async () => {
  const [top, dashboard] = [await makeNode(), await makeDashboard()]
  for (const id of ['line-1', 'robot-1', 'arm-1']) await makeAsset(id)
  const into = { toType: 'asset' }
  const from = { fromType: 'asset' }
  expect((await connect(edge(top, 'line-1', into))).status).toBe(201)
  expect((await connect(edge('line-1', 'robot-1', { ...from, ...into }))).status).toBe(201)
  expect((await connect(edge('robot-1', 'arm-1', { ...from, ...into }))).status).toBe(201)
  expect((await connect(edge('robot-1', dashboard, { ...from, toType: 'dashboard' }))).status).toBe(201)
  expect((await connect(edge('arm-1', 'line-1', { ...from, ...into }))).status).toBe(409)
  expect((await tree(top)).body.children[0].children[0].children[0]).toMatchObject({
    id: 'arm-1',
    displayName: 'Asset arm-1',
  })
  expect((await platform.delete('/v1/assets/robot-1')).status).toBe(204)
  expect((await tree(top)).body.children).toMatchObject([{ id: 'line-1', children: [] }])
  const edges = (await platform.get('/v1/tree/edges')).body as { fromId: string; toId: string }[]
  expect(edges.filter(({ fromId, toId }) => [fromId, toId].includes('robot-1'))).toEqual([])
})

test('an asset can contain nodes; such a node has no parent node, and is at the top after the asset is deleted', async () => {
  const [top, inner] = [await makeNode(), await makeNode()]
  await makeAsset('cabinet')
  await connect(edge(top, 'cabinet', { toType: 'asset' }))
  const made = await connect(edge('cabinet', inner, { fromType: 'asset' }))
  expect(made).toMatchObject({ status: 201, body: { fromType: 'asset', toType: 'node', toId: inner } })
  expect((await tree(top)).body.children[0].children).toMatchObject([{ id: inner, type: 'NODE' }])
  expect((await platform.get(`/v1/tree/nodes/${inner}`)).body.parentNodeId).toBe(null)
  expect((await connect(edge(await makeNode(), inner))).status).toBe(409)
  expect((await connect(edge(inner, top))).body.details.path).toEqual([
    { type: 'node', id: top },
    { type: 'asset', id: 'cabinet' },
    { type: 'node', id: inner },
    { type: 'node', id: top },
  ])
  const moved = await platform.patch(`/v1/tree/nodes/${inner}`, { parentNodeId: top })
  expect(moved.body.parentNodeId).toBe(top)
  await connect(edge('cabinet', await makeNode(), { fromType: 'asset' }))
  expect((await platform.delete('/v1/assets/cabinet')).status).toBe(204)
  expect((await tree(top)).body.children).toMatchObject([{ id: inner }])
})

test("deleting an asset leaves the edges of another tenant's asset of that id", async () => {
  await platform.makeTenant('same-asset')
  await makeAsset('doubled')
  const { db } = platform.ctx
  const asset = { type: 'asset', id: 'doubled' } as const
  const node = { type: 'node', id: newId() } as const
  for (const [from, to] of [
    [node, asset],
    [asset, node],
  ] as const)
    await db
      .insertInto('tree_edges')
      .values({
        id: newId(),
        tenant_id: 'same-asset',
        from_type: from.type,
        from_id: from.id,
        to_type: to.type,
        to_id: to.id,
      })
      .execute()
  expect((await platform.delete('/v1/assets/doubled')).status).toBe(204)
  expect(
    await db.selectFrom('tree_edges').where('tenant_id', '=', 'same-asset').selectAll().execute(),
  ).toHaveLength(2)
})

test('an object that is deleted while an edge to it is checked is not found, rather than forbidden', async () => {
  const top = await makeNode()
  await makeAsset('vanishing')
  const { ctx } = platform
  const { id: userId } = (await platform.get('/v1/auth/me')).body
  const caller = {
    kind: 'user',
    tenantId: 'default',
    tenantNumber: 1,
    userId,
    plan: 'standard',
    privileges: null,
    requestId: '',
  }
  let answers = 0
  // Of the access checks on the node and on the asset, the second one is the last that finds the asset.
  const deleteAfterSecond: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (++answers === 2) await platform.delete('/v1/assets/vanishing')
      return result
    },
  }
  const [from, to] = [
    { type: 'node', id: top },
    { type: 'asset', id: 'vanishing' },
  ] as const
  const decided = ctx.db
    .transaction()
    .execute((tx) => requireMayContain(tx.withPlugin(deleteAfterSecond), caller as Caller, from, to))
  await expect(decided).rejects.toMatchObject({ code: 'not_found', message: 'There is no asset vanishing.' })
})

test('an edge to an object that is deleted concurrently is not left behind', async () => {
  const top = await makeNode()
  for (let round = 0; round < 5; round++) {
    const id = `fleeting-${round}`
    await makeAsset(id)
    const [made, gone] = await Promise.all([
      connect(edge(top, id, { toType: 'asset' })),
      platform.delete(`/v1/assets/${id}`),
    ])
    expect([201, 404]).toContain(made.status)
    expect(gone.status).toBe(204)
  }
  expect((await tree(top)).body.children).toEqual([])
})

test.each([
  ['an unknown type', { fromType: 'tenant' }, 400],
  ['another relation', { relation: 'OWNS' }, 400],
  ['a dashboard that contains something', { fromType: 'dashboard' }, 400],
  ['an unknown asset', { toType: 'asset', toId: 'nowhere' }, 404],
  ['an unknown asset as its source', { fromType: 'asset', fromId: 'nowhere', toType: 'asset' }, 404],
  ['an unknown dashboard', { toType: 'dashboard', toId: crypto.randomUUID() }, 404],
])('an edge with %s is refused', async (_what, fields, status) => {
  expect((await connect({ ...edge(await makeNode(), await makeNode()), ...fields })).status).toBe(status)
})

test('deleting the edges of a source releases its contents, and inherited permissions end at once', async () => {
  const top = await makeNode()
  const inner = await makeNode(top)
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} viewer node:${top}`)
  const read = async () => (await platform.get(`/v1/tree/nodes/${inner}`, { token })).status
  expect(await read()).toBe(200)
  const remove = (options = {}) =>
    platform.post('/v1/tree/edges/delete', { fromType: 'node', fromId: top }, options)
  expect((await remove({ token })).status).toBe(403)
  expect((await remove()).status).toBe(204)
  expect(await read()).toBe(403)
  expect((await platform.get(`/v1/tree/nodes/${inner}`)).body.parentNodeId).toBe(null)
  expect((await platform.post('/v1/tree/edges/delete', { fromType: 'group', fromId: top })).status).toBe(400)
})

test('the edges of a source are deleted and recorded however many they are', async () => {
  const top = await makeNode()
  const { db } = platform.ctx
  await sql`insert into tree_edges (id, tenant_id, from_type, from_id, to_type, to_id)
    select gen_random_uuid(), 'default', 'node', ${top}, case when index % 2 = 0 then 'asset' else 'dashboard' end, index
    from generate_series(1, 2500) as index`.execute(db)
  expect((await platform.delete(`/v1/tree/nodes/${top}`)).body.details).toEqual({ contains: 2500 })
  expect((await platform.post('/v1/tree/edges/delete', { fromType: 'node', fromId: top })).status).toBe(204)
  const { rows } = await sql`select count(distinct resource_id)::int as count from audit_log
    where action = 'delete' and resource_type = 'tree_edge' and before ->> 'fromId' = ${top}`.execute(db)
  expect(rows).toEqual([{ count: 2500 }])
  expect((await platform.delete(`/v1/tree/nodes/${top}`)).status).toBe(204)
})

test('a node moves with all that it contains, and changes its name', async () => {
  const [from, to] = [await makeNode(), await makeNode()]
  const hall = await makeNode(from)
  const line = await makeNode(hall)
  const patch = (body: object) => platform.patch(`/v1/tree/nodes/${hall}`, body)
  expect((await patch({ displayName: 'Hall', parentNodeId: to })).body).toMatchObject({
    displayName: 'Hall',
    parentNodeId: to,
  })
  expect((await tree(from)).body.children).toEqual([])
  expect((await tree(to)).body.children[0].children[0].id).toBe(line)
  expect((await patch({ parentNodeId: null })).body.parentNodeId).toBe(null)
  expect((await patch({ parentNodeId: crypto.randomUUID() })).status).toBe(404)
  expect((await patch({})).body.displayName).toBe('Hall')
})

test('a node with contents cannot be deleted', async () => {
  const top = await makeNode()
  const inner = await makeNode(top)
  expect(await platform.delete(`/v1/tree/nodes/${top}`)).toMatchObject({
    status: 409,
    body: { details: { contains: 1 } },
  })
  expect((await platform.delete(`/v1/tree/nodes/${inner}`)).status).toBe(204)
  expect((await platform.delete(`/v1/tree/nodes/${top}`)).status).toBe(204)
  expect((await tree(top)).status).toBe(404)
})

test('the tree ends at objects that the caller may not view; an edge is listed if both ends are visible', async () => {
  const branch = await makeOrganization(platform)
  const top = await makeNode(null, branch)
  const mine = await makeNode(top, branch)
  const hidden = await makeNode(top)
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} member organization:${branch}`)
  expect((await tree(top, '', { token })).body.children.map((node: { id: string }) => node.id)).toEqual([
    mine,
  ])
  const edges = (await platform.get('/v1/tree/edges', { token })).body
  expect(edges).toMatchObject([{ fromId: top, toId: mine }])
  expect((await platform.get('/v1/tree/nodes', { token })).body).toHaveLength(2)
  expect((await tree(hidden, '', { token })).status).toBe(403)
})

test('putting an object into a node passes on permissions, which needs an owner of all its contents [docs/access#granting]', async () => {
  const branch = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} tree_manager organization:${branch}`)
  const own = (await createNode({ organizationId: branch }, { token })).body.id
  const target = (await createNode({ organizationId: branch }, { token })).body.id
  expect((await createNode({}, { token })).body.details.required).toMatchObject({
    privilege: 'tree_management',
  })
  expect((await connect(edge(own, await makeNode()), { token })).status).toBe(403)
  expect(
    (await createNode({ organizationId: branch, parentNodeId: await makeNode() }, { token })).status,
  ).toBe(403)
  await makeAsset('of-the-root')
  await connect(edge(target, 'of-the-root', { toType: 'asset' }))
  expect((await connect(edge(own, target), { token })).status).toBe(403)
  expect((await connect(edge(own, target))).status).toBe(201)
})

test('another tenant cannot access the tree', async () => {
  const top = await makeNode()
  await makeNode(top)
  const { token, organizationId } = await platform.makeTenant('treeless')
  const foreign = (await createNode({ organizationId }, { token })).body.id
  for (const answer of [
    await tree(top, '', { token }),
    await platform.get(`/v1/tree/nodes/${top}`, { token }),
    await platform.delete(`/v1/tree/nodes/${top}`, { token }),
    await connect(edge(foreign, top), { token }),
    await connect(edge(top, foreign), { token }),
    await platform.post('/v1/tree/edges/delete', { fromType: 'node', fromId: top }, { token }),
    await createNode({ organizationId, parentNodeId: top }, { token }),
    await createNode({}, { token }),
  ])
    expect([answer.status, answer.body.error]).toEqual([404, 'not_found'])
  expect((await platform.get('/v1/tree/edges', { token })).body).toEqual([])
})
