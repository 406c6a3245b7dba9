/** Sizes that a hostile or a large tenant may reach. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeWorld, makeUuid } from '../../../test/harness/access-world.ts'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { check, permissionQuestion } from './check.ts'
import { explain } from './explain.ts'
import { listResources } from './list-resources.ts'
import { listSubjects } from './list-subjects.ts'
import { findReach } from './reach.ts'
import { insertRelations, type RelationTuple } from '../relations/store.ts'
import { visibleTo } from './visible-to.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

test('a tree of 1,000 levels is visible from top to bottom', async () => {
  const { pool, db } = database
  const levels = numbers(1000).flatMap((level) => [
    'organization:root parent node:' + level,
    ...(level > 0 ? [`node:${level - 1} parent node:${level}`] : []),
  ])
  const tuples = ['tenant parent organization:root', ...levels, 'organization:root parent asset:pump']
  const world = await makeWorld(db, 'deep', [
    ...tuples,
    'node:999 parent asset:pump',
    'user:ann viewer node:0',
  ])
  const [ann, pump] = [world.subject('user:ann'), world.resource('asset:pump')]
  expect(await check(pool, permissionQuestion('deep', ann, 'view', pump))).toBe(true)
  expect(await check(pool, permissionQuestion('deep', ann, 'manage', pump))).toBe(false)
  expect(
    (await explain(pool, { tenantId: 'deep', subject: ann, permission: 'view', resource: pump })).chain,
  ).toHaveLength(1001)
  const reach = await findReach(pool, { tenantId: 'deep', subject: ann, type: 'node' })
  expect(await listResources(db, [reach], { limit: 999, after: undefined })).toHaveLength(1000)
})

test('10,000 relations on one object are checked and listed in pages', async () => {
  const { pool, db } = database
  const world = await makeWorld(db, 'wide', [
    'tenant parent organization:root',
    'organization:root parent asset:pump',
  ])
  const tuples = numbers(10_000).map((index): RelationTuple => ({
    subjectType: 'user',
    subjectId: `user-${String(index).padStart(5, '0')}`,
    resourceType: 'asset',
    resourceId: 'pump',
    relation: 'viewer',
  }))
  for (let start = 0; start < tuples.length; start += 2000)
    await insertRelations(db, 'wide', tuples.slice(start, start + 2000))
  const pump = world.resource('asset:pump')
  expect(await check(pool, permissionQuestion('wide', world.subject('user:user-09999'), 'view', pump))).toBe(
    true,
  )
  expect(await check(pool, permissionQuestion('wide', world.subject('user:nobody'), 'view', pump))).toBe(
    false,
  )
  const seen: string[] = []
  for (let after: string | undefined; ; after = seen.at(-1)) {
    const page = await listSubjects(pool, {
      tenantId: 'wide',
      resource: pump,
      permission: 'view',
      subjectType: 'user',
      page: { limit: 1000, after },
    })
    seen.push(...page.slice(0, 1000))
    if (page.length <= 1000) break
  }
  expect(seen).toEqual(tuples.map((tuple) => tuple.subjectId))
})

test('a check on a cycle of organizations ends', async () => {
  const { pool, db } = database
  const circle = ['organization:a parent organization:b', 'organization:b parent organization:a']
  const world = await makeWorld(db, 'circle', [
    ...circle,
    'organization:a parent asset:pump',
    'user:ann manager organization:b',
  ])
  const [ann, pump] = [world.subject('user:ann'), world.resource('asset:pump')]
  expect(await check(pool, permissionQuestion('circle', ann, 'manage', pump))).toBe(true)
  const reach = await findReach(pool, {
    tenantId: 'circle',
    subject: ann,
    type: 'asset',
    permission: 'manage',
  })
  expect(await listResources(db, [reach], { limit: 10, after: undefined })).toEqual(['pump'])
})

test('a room lists the objects that the caller may view in one query', async () => {
  const { pool, db } = database
  const world = await makeWorld(db, 'room', [
    'tenant parent organization:root',
    'organization:root parent organization:north',
  ])
  const organizationId = (name: string) => world.resource(`organization:${name}`).id
  for (const [name, organization] of [
    ['hall', 'north'],
    ['line', 'north'],
    ['yard', 'root'],
  ] as const) {
    const id = makeUuid(name)
    const row = { id, tenant_id: 'room', organization_id: organizationId(organization), display_name: name }
    await db.insertInto('tree_nodes').values(row).execute()
    await world.insert([`organization:${organization} parent node:${id}`])
  }
  await world.insert([
    'user:ann viewer organization:north',
    `user:bob viewer node:${makeUuid('yard')}`,
    `node:${makeUuid('yard')} parent node:${makeUuid('line')}`,
    'user:cid owner tenant',
  ])
  const namesFor = async (user: string) => {
    const reach = await findReach(pool, { tenantId: 'room', subject: world.subject(user), type: 'node' })
    const rows = await db
      .selectFrom('tree_nodes')
      .select('display_name')
      .where('tenant_id', '=', 'room')
      .where(visibleTo(reach, { id: 'tree_nodes.id', organization: 'tree_nodes.organization_id' }))
      .orderBy('display_name')
      .execute()
    return rows.map((row) => row.display_name)
  }
  expect(await namesFor('user:ann')).toEqual(['hall', 'line'])
  expect(await namesFor('user:bob')).toEqual(['line', 'yard'])
  expect(await namesFor('user:cid')).toEqual(['hall', 'line', 'yard'])
  expect(await namesFor('user:dan')).toEqual([])
})
