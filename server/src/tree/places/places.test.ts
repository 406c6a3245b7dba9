import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, makePumpModel, pumpModel } from '../../../test/harness/assets.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

async function makeNode(
  displayName: string,
  parentNodeId: string | null = null,
  organizationId = platform.organizationId,
) {
  const body = { displayName, parentNodeId, organizationId }
  return (await platform.post('/v1/tree/nodes', body)).body.id as string
}
const contain = (fromId: string, toId: string, types: object = {}) =>
  platform.post('/v1/tree/edges', {
    fromType: 'node',
    toType: 'asset',
    relation: 'CONTAINS',
    fromId,
    toId,
    ...types,
  })
const listIn = (parentId: string, query = '', options = {}) =>
  platform.get(`/v1/tree/children?parentType=node&parentId=${parentId}${query}`, options)
const places = (type: string, id: string, options = {}) =>
  platform.get(`/v1/tree/places?type=${type}&id=${id}`, options)
const names = (body: { displayName: string }[]) => body.map(({ displayName }) => displayName)

test('a level lists nodes first, each sorted by name, and whether they contain more [docs/organizations#tree]', async () => {
  const top = await makeNode('Plant')
  const [south, north] = [await makeNode('south', top), await makeNode('North', top)]
  for (const id of ['b-pump', 'a-pump']) {
    await insertAsset(platform, id)
    await contain(top, id)
  }
  await contain(north, 'a-pump')
  const { body } = await listIn(top)
  expect(names(body)).toEqual(['North', 'south', 'Asset a-pump', 'Asset b-pump'])
  expect(body[0]).toMatchObject({ id: north, type: 'NODE', modelId: null, hasChildren: true })
  expect(body[1]).toMatchObject({ id: south, hasChildren: false })
  expect(body[2]).toMatchObject({ id: 'a-pump', type: 'ASSET', modelId: pumpModel, hasChildren: false })
  expect(body[2].edgeId).toEqual(expect.any(String))
  expect(names((await listIn(top, '&search=b-P')).body)).toEqual(['Asset b-pump'])
  expect(names((await listIn(top, '&search=OUT')).body)).toEqual(['south'])
})

test('pages of a level have every entry once, for any names', async () => {
  const top = await makeNode('Many')
  for (const name of ['x', 'X', 'ä'.repeat(256), 'ä'.repeat(255), '😀', 'x', '%', '_'])
    await makeNode(name, top)
  const found: string[] = []
  let path: string | undefined = `/v1/tree/children?parentType=node&parentId=${top}&limit=3`
  while (path !== undefined) {
    const { body, headers } = await platform.get(path)
    found.push(...body.map(({ id }: { id: string }) => id))
    path = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1]
  }
  expect(found).toHaveLength(8)
  expect(new Set(found).size).toBe(8)
  expect((await listIn(top, '&cursor=bm8')).body.error).toBe('validation_error')
})

test('the top contains the nodes without a parent that the caller may view', async () => {
  const branch = await makeOrganization(platform)
  const plant = await makeNode('Whole plant')
  const hall = await makeNode('Hall of the branch', plant, branch)
  const corner = await makeNode('Corner', hall, branch)
  const all = names((await platform.get('/v1/tree/children')).body)
  expect(all).toContain('Whole plant')
  expect(all).not.toContain('Hall of the branch')
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} viewer organization:${branch}`)
  expect(names((await platform.get('/v1/tree/children', { token })).body)).toEqual(['Hall of the branch'])
  expect((await listIn(plant, '', { token })).status).toBe(403)
  expect((await places('node', corner, { token })).body).toMatchObject([
    { path: [{ type: 'NODE', id: hall, displayName: 'Hall of the branch' }] },
  ])
})

test('an incomplete place is refused, and so is a place that does not exist', async () => {
  expect((await platform.get('/v1/tree/children?parentType=node')).body.error).toBe('validation_error')
  expect((await platform.get('/v1/tree/children?parentId=x')).body.error).toBe('validation_error')
  expect((await listIn(crypto.randomUUID())).status).toBe(404)
})

test('the places of an asset are found with the path to each', async () => {
  const [plant, store] = [await makeNode('Plant A'), await makeNode('Store')]
  const line = await makeNode('Line', plant)
  for (const id of ['cabinet', 'sensor']) await insertAsset(platform, id)
  await contain(line, 'cabinet')
  await contain('cabinet', 'sensor', { fromType: 'asset' })
  const second = await contain(store, 'sensor')
  const { body } = await places('asset', 'sensor')
  expect(body.map(({ path }: { path: { displayName: string }[] }) => names(path))).toEqual([
    ['Plant A', 'Line', 'Asset cabinet'],
    ['Store'],
  ])
  expect(body[1].edgeId).toBe(second.body.id)
  expect((await places('node', plant)).body).toEqual([])
  expect((await places('asset', 'no-such')).status).toBe(404)
})
