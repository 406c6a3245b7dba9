import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { connectSession } from '../../../../test/harness/live-session.ts'
import { type Platform, type RequestOptions, startPlatform } from '../../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../../../test/harness/users.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const url = '/v1/method-templates'
const create = (fields: object = {}, options: RequestOptions = {}) =>
  platform.post(
    url,
    { displayName: 'Reboot', method: 'reboot', organizationId: platform.organizationId, ...fields },
    options,
  )

test('creates, reads, updates and deletes a template; fields absent in a PUT do not change [docs/twins#method-templates]', async () => {
  const fields = { description: 'D', componentId: 'module', payload: { delay: 5 }, timeoutSeconds: 60 }
  const { status, body } = await create(fields)
  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    displayName: 'Reboot',
    method: 'reboot',
    ...fields,
    organizationId: platform.organizationId,
  })
  const one = `${url}/${body.id}`
  expect((await platform.get(one)).body).toEqual(body)
  expect((await platform.get(url)).body).toEqual([body])
  const put = async (change: object) => (await platform.put(one, { displayName: 'New', ...change })).body
  expect(await put({})).toEqual({ ...body, displayName: 'New' })
  expect(await put({ method: 'stop', payload: null, componentId: null, timeoutSeconds: null })).toEqual({
    ...body,
    displayName: 'New',
    method: 'stop',
    payload: null,
    componentId: null,
    timeoutSeconds: null,
  })
  expect((await platform.delete(one)).status).toBe(204)
  expect((await platform.get(one)).status).toBe(404)
  const log = (await platform.get(`/v1/audit-log?resourceId=${body.id}`)).body
  expect(log.map(({ action, resourceType }: Record<string, string>) => [action, resourceType])).toEqual([
    ['delete', 'method_template'],
    ['update', 'method_template'],
    ['update', 'method_template'],
    ['create', 'method_template'],
  ])
})

test.each([
  ['no name', { displayName: undefined }],
  ['no method', { method: undefined }],
  ['a method with a slash', { method: 'a/b' }],
  ['a method with a wildcard', { method: '#' }],
  ['a method of 129 characters', { method: 'a'.repeat(129) }],
  ['a payload that is a list', { payload: [] }],
  ['a payload with NUL', { payload: { a: '\u0000' } }],
  ['4 seconds', { timeoutSeconds: 4 }],
  ['301 seconds', { timeoutSeconds: 301 }],
  ['a time-out as text', { timeoutSeconds: '30' }],
  ['no organization', { organizationId: undefined }],
])('%s is refused', async (_what, fields) => {
  expect(await create(fields)).toMatchObject({ status: 400, body: { error: 'validation_error' } })
})

test('a payload that does not fit into a message is refused', async () => {
  expect((await create({ payload: { a: 'x'.repeat(900_000) } })).status).toBe(413)
})

test('creating requires provider_management in the organization, invoking requires view on the template', async () => {
  const branch = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  const there = { organizationId: branch }
  expect((await create(there, { token })).status).toBe(403)
  await relate(platform, `${id} provider_manager organization:${branch}`)
  const { body: mine } = await create(there, { token })
  expect((await create({}, { token })).status).toBe(403)
  expect((await platform.get(url, { token })).body).toEqual([mine])
  const { body: theirs } = await create()
  await platform.post('/v1/providers/mqtt/clients', { id: 'limited', displayName: 'L' })
  await relate(platform, `${id} manager provider_client:limited`)
  const invoke = (methodTemplateId: string) =>
    platform.post('/v1/providers/mqtt/clients/limited/methods', { methodTemplateId }, { token })
  expect((await invoke(mine.id)).body.error).toBe('device_offline')
  expect((await invoke(theirs.id)).body.details.required).toEqual({
    permission: 'view',
    resourceType: 'provider_template',
    resourceId: theirs.id,
  })
})

test('a provider template cannot have the id of a method template, whose relations it would share', async () => {
  const { id } = (await create()).body
  const template = (templateId: string) =>
    platform.post('/v1/provider-templates', {
      id: templateId,
      displayName: 'T',
      organizationId: platform.organizationId,
    })
  expect(await template(id)).toMatchObject({ status: 409, body: { error: 'conflict' } })
  // Neither is found or deleted under the path of the other.
  const other = crypto.randomUUID()
  expect((await template(other)).status).toBe(201)
  for (const path of [`/v1/provider-templates/${id}`, `${url}/${other}`])
    for (const answer of [
      await platform.get(path),
      await platform.put(path, { displayName: 'X' }),
      await platform.delete(path),
    ])
      expect(answer.status).toBe(404)
  for (const path of [`/v1/provider-templates/${other}`, `${url}/${id}`])
    expect((await platform.get(path)).status).toBe(200)
})

test("fields of the request take precedence over the template's, including null [docs/twins#method-templates]", async () => {
  await platform.post('/v1/providers/mqtt/clients', { id: 'asked', displayName: 'A' })
  const topic = 'devices/asked/methods/reboot/invoke'
  const { sent } = connectSession(platform.ctx, 'asked', [topic])
  const { id } = (await create({ payload: { delay: 5 }, timeoutSeconds: 60 })).body
  const ask = async (body: object) => {
    const count = sent.length
    const call = platform.post('/v1/providers/mqtt/clients/asked/methods', { methodTemplateId: id, ...body })
    await vi.waitFor(() => expect(sent.length).toBe(count + 1))
    const { correlationId, ...question } = sent[count]!.payload as Record<string, unknown>
    platform.ctx.pendingMethods.settle('asked', String(correlationId), { status: 200, payload: null })
    expect((await call).status).toBe(200)
    return question
  }
  expect(await ask({})).toEqual({ payload: { delay: 5 }, timeoutSeconds: 60 })
  expect(await ask({ payload: { delay: 1 }, timeoutSeconds: 50 })).toEqual({
    payload: { delay: 1 },
    timeoutSeconds: 50,
  })
  expect(await ask({ payload: null })).toEqual({ payload: null, timeoutSeconds: 60 })
  await platform.put(`${url}/${id}`, { displayName: 'R', payload: null, timeoutSeconds: null })
  expect(await ask({})).toEqual({ payload: null, timeoutSeconds: 30 })
  const [entry] = (await platform.get('/v1/audit-log?resourceId=asked')).body
  expect(entry).toMatchObject({
    action: 'invoke-method',
    after: { method: 'reboot', methodTemplateId: id, timeoutSeconds: 30 },
  })
})

test('the component of the template is used for the request', async () => {
  await platform.post('/v1/providers/mqtt/clients', { id: 'plain', displayName: 'P' })
  const { id } = (await create({ componentId: 'module' })).body
  const invoke = (body: object) =>
    platform.post('/v1/providers/mqtt/clients/plain/methods', { methodTemplateId: id, ...body })
  expect((await invoke({})).body.details.method).toBe('module.reboot')
  expect((await invoke({ componentId: null })).body.details.method).toBe('reboot')
})

test.each([
  ['a method beside the template', { method: 'm', methodTemplateId: crypto.randomUUID() }, 400],
  ['a template that is not an id', { methodTemplateId: `' or ''='` }, 400],
  ['a template as a number', { methodTemplateId: 1 }, 400],
  ['an unknown template', { methodTemplateId: crypto.randomUUID() }, 404],
])('invoking with %s is refused', async (_what, body, status) => {
  await platform.post('/v1/providers/mqtt/clients', { id: 'strict', displayName: 'S' })
  expect((await platform.post('/v1/providers/mqtt/clients/strict/methods', body)).status).toBe(status)
})

test('another tenant can neither find nor invoke a template', async () => {
  const { id } = (await create()).body
  const { token } = await platform.makeTenant('methodless')
  await platform.post('/v1/providers/mqtt/clients', { id: 'theirs', displayName: 'T' }, { token })
  for (const answer of [
    await platform.get(`${url}/${id}`, { token }),
    await platform.put(`${url}/${id}`, { displayName: 'X' }, { token }),
    await platform.delete(`${url}/${id}`, { token }),
    await create({}, { token }),
    await platform.post('/v1/providers/mqtt/clients/theirs/methods', { methodTemplateId: id }, { token }),
  ])
    expect([answer.status, answer.body.error]).toEqual([404, 'not_found'])
  expect((await platform.get(url, { token })).body).toEqual([])
})
