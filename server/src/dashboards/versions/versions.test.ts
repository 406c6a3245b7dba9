import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from 'kysely'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeUser, relate } from '../../../test/harness/users.ts'
import { deleteExpiredVersions } from './store.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const make = async (data: object = {}) =>
  (await platform.post('/v1/dashboards', { displayName: 'D', organizationId: platform.organizationId, data }))
    .body
const listVersions = async (id: string) => (await platform.get(`/v1/dashboards/${id}/versions`)).body
const restoreDeleted = (id: string, options = {}) =>
  platform.post(`/v1/deleted-dashboards/${id}/restore`, undefined, options)

test('each change makes a version with who made it and when [docs/dashboards#versions]', async () => {
  const { id } = await make({ a: 1 })
  const one = `/v1/dashboards/${id}`
  await platform.patch(one, { data: { a: 2 }, displayName: 'E' })
  await platform.patch(one, { data: { a: 2 } })
  const { id: userId, displayName } = (await platform.get('/v1/auth/me')).body
  const changedBy = { userId, tokenId: null, displayName }
  expect(await listVersions(id)).toMatchObject([
    { version: 2, action: 'update', displayName: 'E', changedBy },
    { version: 1, action: 'create', displayName: 'D', changedBy },
  ])
  expect((await platform.get(`${one}/versions/1`)).body).toMatchObject({ version: 1, data: { a: 1 } })
  expect((await platform.get(`${one}/versions/9`)).status).toBe(404)
  const restored = await platform.post(`${one}/versions/1/restore`)
  expect(restored.body).toMatchObject({ version: 3, displayName: 'D', data: { a: 1 } })
  expect((await listVersions(id))[0]).toMatchObject({ version: 3, action: 'restore' })
})

test('the history comes in pages', async () => {
  const { id } = await make()
  for (const a of [1, 2, 3]) await platform.patch(`/v1/dashboards/${id}`, { data: { a } })
  const first = await platform.get(`/v1/dashboards/${id}/versions?limit=3`)
  expect(first.body.map(({ version }: { version: number }) => version)).toEqual([4, 3, 2])
  const next = /<(.*)>; rel="next"/.exec(first.headers.get('link')!)![1]!
  expect((await platform.get(next)).body).toMatchObject([{ version: 1 }])
})

test('a change that was made on another version is a conflict [docs/dashboards#versions]', async () => {
  const { id } = await make()
  const one = `/v1/dashboards/${id}`
  const changes = await Promise.all(
    ['first', 'second'].map((name) => platform.patch(one, { version: 1, data: { name } })),
  )
  expect(changes.map(({ status }) => status).toSorted()).toEqual([200, 409])
  const refused = changes.find(({ status }) => status === 409)!
  expect(refused.body).toMatchObject({ error: 'conflict', details: { version: 2 } })
  const name = changes[0]!.status === 200 ? 'first' : 'second'
  expect((await platform.get(one)).body).toMatchObject({ version: 2, data: { name } })
})

test('a deleted dashboard is restored with its id and history [docs/dashboards#deleted]', async () => {
  const { id } = await make({ a: 1 })
  await platform.delete(`/v1/dashboards/${id}`)
  const deleted = (await platform.get('/v1/deleted-dashboards')).body
  expect(deleted.filter((each: { id: string }) => each.id === id)).toMatchObject([
    { displayName: 'D', version: 2, organizationId: platform.organizationId },
  ])
  const answers = await Promise.all([restoreDeleted(id), restoreDeleted(id)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
  expect((await platform.get(`/v1/dashboards/${id}`)).body).toMatchObject({ version: 3, data: { a: 1 } })
  const actions = (await listVersions(id)).map(({ action }: { action: string }) => action)
  expect(actions).toEqual(['restore', 'delete', 'create'])
  expect((await platform.post(`/v1/dashboards/${id}/versions/2/restore`)).status).toBe(409)
  await platform.delete(`/v1/dashboards/${id}`)
  expect(JSON.stringify((await platform.get('/v1/deleted-dashboards')).body)).toContain(id)
})

test('restoring needs dashboard_management in the organization of the dashboard', async () => {
  const { id } = await make()
  await platform.delete(`/v1/dashboards/${id}`)
  const { token } = await makeUser(platform)
  expect((await restoreDeleted(id, { token })).status).toBe(403)
  const other = await platform.makeTenant('restores')
  expect((await restoreDeleted(id, other)).status).toBe(404)
  expect((await platform.get('/v1/deleted-dashboards', other)).body).toEqual([])
})

test('the history is for those who may change the dashboard', async () => {
  const { id } = await make()
  const viewer = await makeUser(platform)
  await relate(platform, `${viewer.id} viewer dashboard:${id}`)
  for (const path of ['versions', 'versions/1', 'draft'])
    expect((await platform.get(`/v1/dashboards/${id}/${path}`, viewer)).status).toBe(403)
})

test('100 versions and 20 MiB are kept [docs/dashboards#versions]', async () => {
  const { id } = await make()
  for (let a = 0; a < 101; a++) await platform.patch(`/v1/dashboards/${id}`, { data: { a } })
  const versions = await listVersions(id)
  expect([versions.length, versions[0].version, versions.at(-1).version]).toEqual([100, 102, 3])
  for (let a = 0; a < 25; a++)
    await platform.patch(`/v1/dashboards/${id}`, { data: { a, text: 'x'.repeat(1_000_000) } })
  expect((await listVersions(id)).length).toBe(20)
})

test('versions of a dashboard that was deleted 90 days ago are deleted [docs/dashboards#deleted]', async () => {
  const [kept, lost, living] = [await make(), await make(), await make()]
  for (const { id } of [kept, lost]) await platform.delete(`/v1/dashboards/${id}`)
  const { db } = platform.ctx
  await sql`update dashboard_versions set created_at = now() - interval '91 days'
    where dashboard_id in (${lost.id}, ${living.id})`.execute(db)
  await deleteExpiredVersions(db)
  const ids = (await platform.get('/v1/deleted-dashboards')).body.map(({ id }: { id: string }) => id)
  expect([ids.includes(kept.id), ids.includes(lost.id)]).toEqual([true, false])
  expect(await listVersions(living.id)).toHaveLength(1)
})
