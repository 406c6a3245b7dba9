import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { makeUser, relate } from '../../test/harness/users.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

interface Entry {
  at: string
  action: string
  actorId: string
}

const read = async (query: Record<string, string>) => {
  const { status, body } = await platform.get(`/v1/audit-log?${new URLSearchParams(query)}`)
  expect(status).toBe(200)
  return body as Entry[]
}

test('is narrowed by who, what and when, each alone and together [docs/api#audit]', async () => {
  const { body: group } = await platform.post('/v1/groups', { displayName: 'First' })
  await platform.patch(`/v1/groups/${group.id}`, { displayName: 'Second' })
  const ann = await makeUser(platform)
  await relate(platform, `${ann.id} manager group:${group.id}`)
  await platform.patch(`/v1/groups/${group.id}`, { displayName: 'Third' }, { token: ann.token })

  const resourceId = group.id
  const all = await read({ resourceId })
  expect(all.map(({ action }) => action)).toEqual(['update', 'create-relation', 'update', 'create'])
  expect((await read({ resourceId, action: 'update' })).length).toBe(2)
  expect(await read({ actorId: ann.id, action: 'update' })).toEqual([all[0]])
  expect(await read({ resourceId, actorId: ann.id, action: 'create' })).toEqual([])
  // `from` is inclusive, `to` is not.
  expect(await read({ resourceId, from: all[2]!.at, to: all[0]!.at })).toEqual(
    all.filter(({ at }) => at >= all[2]!.at && at < all[0]!.at),
  )
  expect(await read({ resourceId, from: '2100-01-01T00:00:00Z' })).toEqual([])
  expect(await read({ resourceId, to: '1969-01-01T00:00:00Z' })).toEqual([])
})

test.each([
  { from: 'yesterday' },
  { from: '2016-12-31T23:59:60Z' },
  { to: '2026-01-01T00:00:00Z[Europe/Berlin]' },
  { to: '2026-13-01T00:00:00Z' },
  { actorId: 'x'.repeat(129) },
])('refuses %o', async (query) => {
  const { status, body } = await platform.get(`/v1/audit-log?${new URLSearchParams(query as never)}`)
  expect([status, body.error]).toEqual([400, 'validation_error'])
})
