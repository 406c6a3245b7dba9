import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeUser, relate } from '../../../test/harness/users.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

async function makeNode(displayName: string, parentNodeId: string | null = null) {
  const body = { displayName, parentNodeId, organizationId: platform.organizationId }
  return (await platform.post('/v1/tree/nodes', body)).body.id as string
}
async function makeAssetIn(nodeId: string, id: string) {
  await insertAsset(platform, id)
  return (await move({ type: 'asset', id, to: { type: 'node', id: nodeId } })).body.edge.id as string
}
const move = (body: object, options = {}) => platform.post('/v1/tree/move', body, options)
const placesOf = async (type: string, id: string): Promise<string[]> =>
  (await platform.get(`/v1/tree/places?type=${type}&id=${id}`)).body.map(
    ({ path }: { path: { id: string }[] }) => path.at(-1)!.id,
  )

test('an asset leaves one place for another, and stays in its other places [docs/organizations#tree]', async () => {
  const [a, b, c] = [await makeNode('A'), await makeNode('B'), await makeNode('C')]
  const edgeId = await makeAssetIn(a, 'moved')
  await move({ type: 'asset', id: 'moved', to: { type: 'node', id: b } })
  const { status, body } = await move({ type: 'asset', id: 'moved', edgeId, to: { type: 'node', id: c } })
  expect({ status, body }).toMatchObject({ status: 200, body: { edge: { fromId: c, toId: 'moved' } } })
  expect((await placesOf('asset', 'moved')).toSorted()).toEqual([b, c].toSorted())
  expect((await move({ type: 'asset', id: 'moved', edgeId: body.edge.id })).body).toEqual({ edge: null })
  expect(await placesOf('asset', 'moved')).toEqual([b])
})

test('a dry run shows the subjects that would gain or lose permissions, and changes nothing', async () => {
  const [from, to] = [await makeNode('From'), await makeNode('To')]
  const edgeId = await makeAssetIn(from, 'watched')
  const [before, after, both] = [await makeUser(platform), await makeUser(platform), await makeUser(platform)]
  await relate(platform, `${before.id} manager node:${from}`)
  await relate(platform, `${after.id} viewer node:${to}`)
  await relate(platform, `${both.id} viewer node:${from}`)
  await relate(platform, `${both.id} viewer node:${to}`)
  const body = { type: 'asset', id: 'watched', edgeId, to: { type: 'node', id: to } }
  const dry = await move({ ...body, dryRun: true })
  expect(dry.body.edge).toMatchObject({ fromId: to })
  const changes = dry.body.accessChanges as { subjectId: string; displayName: string }[]
  const ofUsers = new Map(changes.map((change) => [change.subjectId, change]))
  expect(ofUsers.get(before.id)).toMatchObject({ gained: [], lost: ['view', 'manage', 'share'] })
  expect(ofUsers.get(after.id)).toMatchObject({ subjectType: 'user', gained: ['view'], lost: [] })
  expect(ofUsers.has(both.id)).toBe(false)
  expect(changes.every(({ displayName }) => displayName !== null)).toBe(true)
  expect(await placesOf('asset', 'watched')).toEqual([from])
  expect((await platform.get('/v1/assets/watched', { token: after.token })).status).toBe(403)
  expect((await move(body)).status).toBe(200)
  expect((await platform.get('/v1/assets/watched', { token: after.token })).status).toBe(200)
  expect((await platform.get('/v1/assets/watched', { token: before.token })).status).toBe(403)
})

test('a node moves with its contents, also to the top, and never into itself', async () => {
  const [plant, other] = [await makeNode('Plant'), await makeNode('Other')]
  const hall = await makeNode('Hall', plant)
  const line = await makeNode('Line', hall)
  const [{ edgeId }] = (await platform.get(`/v1/tree/places?type=node&id=${hall}`)).body
  const circle = await move({ type: 'node', id: hall, edgeId, to: { type: 'node', id: line } })
  expect(circle).toMatchObject({ status: 409, body: { error: 'conflict' } })
  expect(await placesOf('node', hall)).toEqual([plant])
  const moved = await move({ type: 'node', id: hall, edgeId, to: { type: 'node', id: other } })
  expect(await placesOf('node', hall)).toEqual([other])
  expect(await placesOf('node', line)).toEqual([hall])
  expect((await move({ type: 'node', id: hall, edgeId: moved.body.edge.id, to: null })).status).toBe(200)
  expect((await platform.get(`/v1/tree/nodes/${hall}`)).body.parentNodeId).toBe(null)
})

test('a move needs permissions on both places and on the thing', async () => {
  const [from, to] = [await makeNode('From'), await makeNode('To')]
  const edgeId = await makeAssetIn(from, 'guarded')
  const { id, token } = await makeUser(platform)
  const body = { type: 'asset', id: 'guarded', edgeId, to: { type: 'node', id: to }, dryRun: true }
  expect((await move(body, { token })).status).toBe(403)
  await relate(platform, `${id} owner node:${to}`)
  expect((await move(body, { token })).status).toBe(403)
  await relate(platform, `${id} viewer node:${from}`)
  expect((await move(body, { token })).body.details.required).toMatchObject({ permission: 'delete' })
  await relate(platform, `${id} owner asset:guarded`)
  expect((await move(body, { token })).body.details.required).toMatchObject({
    permission: 'manage',
    resourceId: from,
  })
  await relate(platform, `${id} manager node:${from}`)
  expect((await move(body, { token })).status).toBe(200)
})

test('an edge of another object is not found, and a move from nowhere to nowhere is refused', async () => {
  const node = await makeNode('N')
  const edgeId = await makeAssetIn(node, 'one')
  await insertAsset(platform, 'two')
  expect((await move({ type: 'asset', id: 'two', edgeId })).status).toBe(404)
  expect((await move({ type: 'asset', id: 'two' })).body.error).toBe('validation_error')
})
