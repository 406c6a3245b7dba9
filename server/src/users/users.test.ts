import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { adminPassword, apiAt, logIn, type Platform, startPlatform } from '../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../test/harness/users.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterEach(() => void vi.useRealTimers())
afterAll(() => platform[Symbol.asyncDispose]())

const newUser = (email: string, fields: object = {}) => ({
  displayName: 'Ann',
  email,
  password: adminPassword,
  ...fields,
})
const create = (body: object, options = {}) => platform.post('/v1/users', body, options)

test('creates a user, who can sign in; the password is in no answer [docs/organizations#users]', async () => {
  const { status, body } = await create(newUser('ann@example.com'))
  expect(status).toBe(201)
  expect(body).toEqual({
    id: body.id,
    displayName: 'Ann',
    email: 'ann@example.com',
    phoneNumber: null,
    disabled: false,
  })
  const token = await logIn(apiAt(platform.url), 'ANN@example.com', adminPassword)
  expect((await platform.get('/v1/auth/me', { token })).body.id).toBe(body.id)
  const log = (await platform.get(`/v1/audit-log?resourceId=${body.id}`)).body
  expect(log).toMatchObject([{ action: 'create', after: body }])
})

test.each([
  ['no name', { displayName: undefined }],
  ['no email', { email: undefined }],
  ['an email without domain', { email: 'ann' }],
  ['a short password', { password: 'short' }],
  ['a password that is a number', { password: 12345678 }],
])('%s is refused', async (_what, fields) => {
  const { status, body } = await create(newUser('bad@example.com', fields))
  expect([status, body.error]).toEqual([400, 'validation_error'])
})

test('an email belongs to one user of the installation, ignoring case [docs/organizations#users]', async () => {
  await create(newUser('once@example.com'))
  const { token } = await platform.makeTenant('second')
  for (const options of [{}, { token }])
    expect((await create(newUser('Once@Example.com'), options)).body.error).toBe('conflict')
})

test('a tenant can probe only a few emails of other tenants an hour', async () => {
  const { token } = await platform.makeTenant('curious')
  const foreign: string[] = []
  for (let index = 0; index < 30; index++) foreign.push((await makeUser(platform)).email)
  // No pause ends meanwhile.
  vi.useFakeTimers({ toFake: ['Date'] })
  const answers = await Promise.all(foreign.map((email) => create(newUser(email), { token })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([
    ...Array.from({ length: 20 }, () => 409),
    ...Array.from({ length: 10 }, () => 429),
  ])
  const paused = await platform.ctx.pool.query(
    `update login_failures set last_failure_at = now() + interval '1 hour' where key = 'foreign-emails:curious'`,
  )
  expect(paused.rowCount).toBe(1)
  // Until the pause has ended, the answer does not reveal either whether an email is available.
  expect((await create(newUser('free@curious.example'), { token })).status).toBe(429)
  expect((await create(newUser('busy@default.example'))).status).toBe(201)
})

test('emails of users of the same tenant are refused without a limit', async () => {
  const { email } = await makeUser(platform)
  const answers = await Promise.all(Array.from({ length: 25 }, () => create(newUser(email))))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([409]))
})

test('creating needs user_management in any organization; the creator may manage the new user', async () => {
  const { id, token } = await makeUser(platform)
  expect((await create(newUser('no@example.com'), { token })).body.details).toEqual({
    required: { privilege: 'user_management' },
  })
  const branch = await makeOrganization(platform)
  await relate(platform, `${id} user_manager organization:${branch}`)
  const made = (await create(newUser('made@example.com'), { token })).body
  expect(
    (await platform.patch(`/v1/users/${made.id}`, { displayName: 'Bo' }, { token })).body.displayName,
  ).toBe('Bo')
  const other = await makeUser(platform)
  expect((await platform.patch(`/v1/users/${other.id}`, { displayName: 'Bo' }, { token })).status).toBe(403)
  expect((await platform.delete(`/v1/users/${made.id}`, { token })).status).toBe(204)
})

test('name and phone number change; users may change their own', async () => {
  const { id, token } = await makeUser(platform)
  const patch = (body: object, options: object = { token }) =>
    platform.patch(`/v1/users/${id}`, body, options)
  expect((await patch({ phoneNumber: '+493012345' })).body).toMatchObject({ phoneNumber: '+493012345' })
  expect((await patch({ displayName: 'New' }, {})).body).toMatchObject({
    displayName: 'New',
    phoneNumber: '+493012345',
  })
  expect((await patch({ phoneNumber: null })).body.phoneNumber).toBe(null)
  for (const bad of [{ phoneNumber: '030' }, { disabled: 'true' }, { displayName: '' }])
    expect((await patch(bad)).status).toBe(400)
  expect((await platform.get('/v1/users', { token })).body.map((user: { id: string }) => user.id)).toEqual([
    id,
  ])
})

test('a disabled user is refused at their very next request, and enabling brings no old sign-in back', async () => {
  const { id, email, token } = await makeUser(platform)
  const apiToken = (await platform.post('/v1/api-tokens', { displayName: 'ci' }, { token })).body.token
  const me = (with_: string) => platform.get('/v1/auth/me', { token: with_ })
  expect((await platform.patch(`/v1/users/${id}`, { disabled: true })).body.disabled).toBe(true)
  for (const each of [token, apiToken]) expect((await me(each)).status).toBe(401)
  await expect(logIn(apiAt(platform.url), email, adminPassword)).rejects.toThrow('401')
  await platform.patch(`/v1/users/${id}`, { disabled: false })
  expect((await me(token)).status).toBe(401)
  expect((await me(await logIn(apiAt(platform.url), email, adminPassword))).status).toBe(200)
})

test('the last owner of a tenant who can sign in is neither disabled nor deleted [issue: last owner]', async () => {
  const { token } = await platform.makeTenant('owned')
  const owner = (await platform.get('/v1/auth/me', { token })).body.id
  const url = `/v1/users/${owner}`
  expect((await platform.patch(url, { disabled: true }, { token })).body.error).toBe('conflict')
  expect((await platform.delete(url, { token })).body.error).toBe('conflict')

  const second = await makeUser(platform, { token })
  await relate(platform, `${second.id} owner tenant:owned`, { token })
  const answers = await Promise.all([
    platform.patch(url, { disabled: true }, { token: second.token }),
    platform.patch(`/v1/users/${second.id}`, { disabled: true }, { token }),
  ])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('a deleted user is gone with tokens and relations', async () => {
  const { id, token } = await makeUser(platform)
  const branch = await makeOrganization(platform)
  await relate(platform, `${id} viewer organization:${branch}`)
  expect((await platform.delete(`/v1/users/${id}`)).status).toBe(204)
  expect((await platform.get('/v1/auth/me', { token })).status).toBe(401)
  expect((await platform.get(`/v1/users/${id}`)).status).toBe(404)
  const left = await platform.ctx.db
    .selectFrom('relations')
    .select('relation')
    .where('subject_id', '=', id)
    .execute()
  expect(left).toEqual([])
})

test('another tenant cannot access a user', async () => {
  const { id } = await makeUser(platform)
  const { token } = await platform.makeTenant('stranger')
  const url = `/v1/users/${id}`
  for (const answer of [
    await platform.get(url, { token }),
    await platform.patch(url, { displayName: 'X' }, { token }),
    await platform.delete(url, { token }),
  ])
    expect([answer.status, answer.body.error]).toEqual([404, 'not_found'])
  expect((await platform.get('/v1/users', { token })).body).toHaveLength(1)
})

test('a group gives its members what it has, until it is deleted', async () => {
  const group = await platform.post('/v1/groups', {
    displayName: 'Night shift',
    description: 'Works at night',
  })
  expect(group).toMatchObject({
    status: 201,
    body: { displayName: 'Night shift', description: 'Works at night' },
  })
  const url = `/v1/groups/${group.body.id}`
  const { id, token } = await makeUser(platform)
  const branch = await makeOrganization(platform)
  const read = async () => (await platform.get(`/v1/organizations/${branch}`, { token })).status
  await relate(platform, `${id} member group:${group.body.id}`)
  expect(await read()).toBe(403)
  await relate(platform, `group:${group.body.id} viewer organization:${branch}`)
  expect(await read()).toBe(200)
  expect((await platform.get('/v1/groups', { token })).body).toEqual([group.body])
  expect((await platform.patch(url, { displayName: 'Nights' })).body).toEqual({
    ...group.body,
    displayName: 'Nights',
  })
  expect((await platform.patch(url, {})).status).toBe(200)
  expect((await platform.patch(url, { displayName: 7 })).status).toBe(400)
  expect((await platform.patch(url, { displayName: 'Mine' }, { token })).status).toBe(403)
  expect((await platform.delete(url)).status).toBe(204)
  expect(await read()).toBe(403)
  expect((await platform.get(url)).status).toBe(404)
})

test('groups need user_management, and are not found in another tenant', async () => {
  const { token } = await makeUser(platform)
  expect((await platform.post('/v1/groups', { displayName: 'G' }, { token })).status).toBe(403)
  expect((await platform.post('/v1/groups', { description: 'no name' })).status).toBe(400)
  const { id } = (await platform.post('/v1/groups', { displayName: 'G' })).body
  const tenant = await platform.makeTenant('groupless')
  expect((await platform.get(`/v1/groups/${id}`, { token: tenant.token })).status).toBe(404)
  expect((await platform.get('/v1/groups', { token: tenant.token })).body).toEqual([])
})
