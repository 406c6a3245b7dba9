import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from 'kysely'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeUser, relate } from '../../../test/harness/users.ts'
import { deleteExpiredDrafts } from './store.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

async function makeDraft() {
  const { body } = await platform.post('/v1/dashboards', {
    displayName: 'D',
    organizationId: platform.organizationId,
  })
  return `/v1/dashboards/${body.id}/draft`
}

test('each editor has a draft of their own [docs/dashboards#drafts]', async () => {
  const url = await makeDraft()
  expect((await platform.get(url)).status).toBe(404)
  const draft = { version: 1, data: { widgets: 'unfinished', version: 1 } }
  expect((await platform.put(url, draft)).body).toEqual({ ...draft, changedAt: expect.any(String) })
  expect((await platform.get(url)).body).toMatchObject(draft)
  const other = await makeUser(platform)
  await relate(platform, `${other.id} owner organization:${platform.organizationId}`)
  expect((await platform.get(url, other)).status).toBe(404)
  await platform.put(url, { version: 1, data: { mine: true } }, other)
  expect((await platform.get(url)).body).toMatchObject(draft)
  expect((await platform.delete(url)).status).toBe(204)
  expect((await platform.delete(url)).status).toBe(204)
  expect((await platform.get(url)).status).toBe(404)
  expect((await platform.get(url, other)).body.data).toEqual({ mine: true })
})

test('a draft has the limit of a dashboard, and goes with it', async () => {
  const url = await makeDraft()
  const tooLarge = { version: 1, data: { text: 'x'.repeat(1024 * 1024) } }
  expect((await platform.put(url, tooLarge)).body.error).toBe('payload_too_large')
  for (const body of [{ data: {} }, { version: 0, data: {} }, { version: 1, data: [] }])
    expect((await platform.put(url, body)).body.error).toBe('validation_error')
  await platform.put(url, { version: 1, data: {} })
  const one = url.slice(0, -'/draft'.length)
  await platform.delete(one)
  await platform.post(`${one.replace('dashboards', 'deleted-dashboards')}/restore`)
  expect((await platform.get(one)).status).toBe(200)
  expect((await platform.get(url)).status).toBe(404)
})

test('a draft that nobody changed for 90 days is deleted [docs/dashboards#drafts]', async () => {
  const [old, young] = [await makeDraft(), await makeDraft()]
  for (const url of [old, young]) await platform.put(url, { version: 1, data: {} })
  const { db } = platform.ctx
  const id = old.split('/')[3]
  await sql`update dashboard_drafts set changed_at = now() - interval '91 days' where dashboard_id = ${id}`.execute(
    db,
  )
  await deleteExpiredDrafts(db)
  expect([(await platform.get(old)).status, (await platform.get(young)).status]).toEqual([404, 200])
})
