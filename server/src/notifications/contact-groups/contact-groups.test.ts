import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAuditActions } from '../../../test/harness/audit.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'
import { newId } from '../../lib/ids.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const url = '/v1/contactgroups'
const create = (fields: object = {}, options = {}) =>
  platform.post(url, { displayName: 'C', organizationId: platform.organizationId, ...fields }, options)
const makeGroup = async () => (await platform.post('/v1/groups', { displayName: 'G' })).body.id as string

test('creates, reads, changes and deletes a contact group [docs/notifications#contact-groups]', async () => {
  const [ann, bob, group] = [(await makeUser(platform)).id, (await makeUser(platform)).id, await makeGroup()]
  const { status, body } = await create({ description: 'At night', users: [bob, ann], userGroups: [group] })
  expect(status).toBe(201)
  expect(body).toEqual({
    id: body.id,
    displayName: 'C',
    description: 'At night',
    organizationId: platform.organizationId,
    users: [bob, ann],
    userGroups: [group],
  })
  const one = `${url}/${body.id}`
  expect((await platform.get(one)).body).toEqual(body)
  expect((await platform.get(url)).body).toEqual([body])
  expect((await platform.patch(one, { users: [ann] })).body).toEqual({ ...body, users: [ann] })
  expect((await platform.patch(one, { displayName: 'D', description: null })).body).toEqual({
    ...body,
    displayName: 'D',
    description: null,
    users: [ann],
  })
  expect((await platform.delete(one)).status).toBe(204)
  expect((await platform.get(one)).status).toBe(404)
  expect(await listAuditActions(platform, body.id)).toEqual(['delete', 'update', 'update', 'create'])
})

test('without users and groups it is empty, and a user who is named twice is in it once', async () => {
  expect((await create()).body).toMatchObject({ description: null, users: [], userGroups: [] })
  const { id } = await makeUser(platform)
  expect((await create({ users: [id, id, id.toUpperCase()] })).body.users).toEqual([id])
})

test.each([
  ['no name', { displayName: undefined }],
  ['no organization', { organizationId: undefined }],
  ['users that are none', { users: 'x' }],
  ['a user that is not an id', { users: ['x'] }],
  ['too many users', { users: Array.from({ length: 10_001 }, newId) }],
])('%s is refused', async (_what, fields) => {
  expect((await create(fields)).body.error).toBe('validation_error')
})

test('unknown users and groups are refused by name, including those of another tenant', async () => {
  const { token } = await platform.makeTenant('others')
  const stranger = await platform.get('/v1/auth/me', { token })
  const theirs = stranger.body.id as string
  const { id } = await makeUser(platform)
  const nobody = newId()
  const refused = await create({ users: [id, nobody, theirs] })
  expect(refused.body.details.issues).toEqual([
    { path: 'users', message: expect.stringContaining(`${nobody}, ${theirs}`) },
  ])
  const group = (await create()).body.id
  expect((await platform.patch(`${url}/${group}`, { userGroups: [nobody] })).body.message).toContain(nobody)
  expect((await platform.get(`${url}/${group}`)).body.userGroups).toEqual([])
})

test('a deleted user is removed from it', async () => {
  const [{ id }, group] = [await makeUser(platform), await makeGroup()]
  const { body } = await create({ users: [id], userGroups: [group] })
  expect((await platform.delete(`/v1/users/${id}`)).status).toBe(204)
  expect((await platform.delete(`/v1/groups/${group}`)).status).toBe(204)
  expect((await platform.get(`${url}/${body.id}`)).body).toEqual({ ...body, users: [], userGroups: [] })
})

test('an organization with a contact group cannot be deleted', async () => {
  const branch = await makeOrganization(platform)
  const { id } = (await create({ organizationId: branch })).body
  expect((await platform.delete(`/v1/organizations/${branch}`)).status).toBe(409)
  await platform.delete(`${url}/${id}`)
  expect((await platform.delete(`/v1/organizations/${branch}`)).status).toBe(204)
})

test('creating needs contact_group_management in the organization; its members may only view it', async () => {
  const branch = await makeOrganization(platform)
  const [manager, member] = [await makeUser(platform), await makeUser(platform)]
  expect((await create({ organizationId: branch }, { token: manager.token })).status).toBe(403)
  await relate(platform, `${manager.id} contact_group_manager organization:${branch}`)
  await relate(platform, `${member.id} member organization:${branch}`)
  const { status, body } = await create({ organizationId: branch }, { token: manager.token })
  expect(status).toBe(201)
  expect((await create({}, { token: manager.token })).status).toBe(403)
  const one = `${url}/${body.id}`
  expect((await platform.get(url, { token: member.token })).body).toEqual([body])
  expect((await platform.patch(one, {}, { token: member.token })).status).toBe(403)
  expect((await platform.delete(one, { token: manager.token })).status).toBe(204)
})

test('another tenant cannot find it', async () => {
  const { id } = (await create()).body
  const { token } = await platform.makeTenant('elsewhere')
  for (const answer of [
    await platform.get(`${url}/${id}`, { token }),
    await platform.patch(`${url}/${id}`, {}, { token }),
    await platform.delete(`${url}/${id}`, { token }),
    await create({}, { token }),
  ])
    expect(answer.status).toBe(404)
  expect((await platform.get(url, { token })).body).toEqual([])
})
