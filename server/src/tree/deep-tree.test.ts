import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { makeUser, relate } from '../../test/harness/users.ts'
import { newId } from '../lib/ids.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

async function makeNode(parentNodeId: string | null): Promise<string> {
  const body = { displayName: 'N', organizationId: platform.organizationId, parentNodeId }
  return (await platform.post('/v1/tree/nodes', body)).body.id
}

/** Creates nested nodes. Each request walks up to the top of the tree, so that 1,000 of them take long. */
async function insertLevels(top: string, count: number): Promise<string[]> {
  const { db } = platform.ctx
  const organizationId = platform.organizationId
  const own = { tenant_id: 'default', organization_id: organizationId, display_name: 'N' }
  const ids = Array.from({ length: count }, newId)
  const edges = ids.map((id, index) => ({ from: [top, ...ids][index]!, to: id }))
  const parent = { tenant_id: 'default', resource_type: 'node', relation: 'parent' }
  await db
    .insertInto('tree_nodes')
    .values(ids.map((id) => ({ ...own, id })))
    .execute()
  await db
    .insertInto('tree_edges')
    .values(
      edges.map(({ from, to }) => ({
        id: newId(),
        tenant_id: 'default',
        from_type: 'node' as const,
        from_id: from,
        to_type: 'node' as const,
        to_id: to,
      })),
    )
    .execute()
  const above = edges.flatMap(({ from, to }) => [
    { ...parent, resource_id: to, subject_type: 'node', subject_id: from },
    { ...parent, resource_id: to, subject_type: 'organization', subject_id: organizationId },
  ])
  await db.insertInto('relations').values(above).execute()
  return ids
}

test('a tree of 1,000 levels is built, read and kept free of cycles', async () => {
  const ids = [await makeNode(null)]
  ids.push(...(await insertLevels(ids[0]!, 998)))
  for (let level = 999; level <= 1000; level++) ids.push(await makeNode(ids.at(-1)!))
  let { body: at } = await platform.get(`/v1/tree?startNodeId=${ids[0]}`)
  for (const id of ids) {
    expect(at.id).toBe(id)
    at = at.children[0]
  }
  const circle = await platform.post('/v1/tree/edges', {
    fromType: 'node',
    fromId: ids.at(-1)!,
    toType: 'node',
    toId: ids[0]!,
    relation: 'CONTAINS',
  })
  expect(circle.body.details.path).toHaveLength(1002)
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} viewer node:${ids[0]}`)
  expect((await platform.get(`/v1/tree/nodes/${ids.at(-1)}`, { token })).status).toBe(200)
})
