/** No relation outlives its object, and none its subject. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findOrphanRelations } from '../../../test/harness/orphan-relations.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeOrganization, makeUser } from '../../../test/harness/users.ts'
import type { Caller } from '../../http/access.ts'
import { insertRelations, type RelationTuple } from './store.ts'
import { writeRelations } from './write-relations.ts'

let platform: Platform
let caller: Caller
beforeAll(async () => {
  platform = await startPlatform()
  const { body } = await platform.get('/v1/auth/me')
  caller = { tenantId: 'default', userId: body.id, privileges: null } as Caller
})
afterAll(() => platform[Symbol.asyncDispose]())

async function make(path: string, fields: object = {}): Promise<string> {
  const { status, body } = await platform.post(path, { displayName: 'Fleeting', ...fields })
  expect(status).toBe(201)
  return body.id
}

async function countWaiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(platform.ctx.db)
  return rows[0]!.count
}

const ofUser = (subjectId: string): Pick<RelationTuple, 'subjectType' | 'subjectId'> => ({
  subjectType: 'user',
  subjectId,
})

test.each([
  [
    'dashboard',
    async () => {
      const id = await make('/v1/dashboards', { organizationId: platform.organizationId, data: {} })
      const tuple = { ...ofUser((await makeUser(platform)).id), resourceType: 'dashboard', resourceId: id }
      return { path: `/v1/dashboards/${id}`, tuple }
    },
  ],
  [
    'organization',
    async () => {
      const id = await makeOrganization(platform)
      const tuple = { ...ofUser((await makeUser(platform)).id), resourceType: 'organization', resourceId: id }
      return { path: `/v1/organizations/${id}`, tuple }
    },
  ],
  [
    'subject',
    async () => {
      const { id } = await makeUser(platform)
      const resourceId = platform.organizationId
      return { path: `/v1/users/${id}`, tuple: { ...ofUser(id), resourceType: 'organization', resourceId } }
    },
  ],
])('a relation that is written while its %s is deleted is deleted too', async (_what, makeTuple) => {
  const { db } = platform.ctx
  const { path, tuple } = await makeTuple()
  let deletion: ReturnType<Platform['delete']> | undefined
  await db.transaction().execute(async (tx) => {
    await writeRelations(tx, caller, [{ ...tuple, relation: 'viewer' } as RelationTuple])
    deletion = platform.delete(path)
    await expect.poll(countWaiting).toBeGreaterThan(0)
  })
  expect((await deletion!).status).toBe(204)
  expect(await findOrphanRelations(db, 'default')).toEqual([])
})

test('the check finds a relation of an absent object', async () => {
  const { db } = platform.ctx
  const resourceId = crypto.randomUUID()
  const tuple = {
    ...ofUser(caller.userId),
    resourceType: 'dashboard',
    resourceId,
    relation: 'viewer',
  } as const
  await insertRelations(db, 'default', [tuple])
  expect(await findOrphanRelations(db, 'default')).toEqual([
    `user:${caller.userId} viewer dashboard:${resourceId}`,
  ])
})
