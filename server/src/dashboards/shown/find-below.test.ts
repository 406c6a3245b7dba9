import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { findBelow } from './find-below.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

async function makeNode(parentNodeId: string | null): Promise<string> {
  const body = { displayName: 'Place', organizationId: platform.organizationId, parentNodeId }
  return (await platform.post('/v1/tree/nodes', body)).body.id
}

async function contain(fromId: string, toId: string): Promise<void> {
  const edge = { fromType: 'node', fromId, toType: 'asset', toId, relation: 'CONTAINS' }
  expect((await platform.post('/v1/tree/edges', edge)).status).toBe(201)
}

test('of the 50 assets of a place, one that stands at two levels is counted once [docs/dashboards#tokens]', async () => {
  const hall = await makeNode(null)
  const line = await makeNode(hall)
  const twice = Array.from({ length: 30 }, (_one, index) => `pump-${index}`)
  for (const id of [...twice, 'zone']) {
    await insertAsset(platform, id)
    await contain(line, id)
  }
  for (const id of twice) await contain(hall, id)
  const [user] = (await platform.get('/v1/users')).body
  const found = await findBelow(platform.ctx, { tenantId: 'default', userId: user.id }, [hall])
  expect(found.map(({ id }) => id).toSorted()).toEqual([hall, line, ...twice, 'zone'].toSorted())
})
