import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { upload } from '../../test/harness/uploads.ts'
import { makeOrganization, makeUser, relate } from '../../test/harness/users.ts'
import { hashSha256 } from './files/measure.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const url = '/v1/resources'
const create = (fields: object = {}, options = {}) =>
  platform.post(url, { displayName: 'R', document: { a: 1 }, ...fields }, options)
const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })

test('creates, reads, changes and deletes a JSON document [docs/files#resources]', async () => {
  const document = { z: 1, a: [null, 'é', { deep: true }] }
  const { status, body } = await create({ description: 'D', tags: { type: 'config' }, document })
  expect(status).toBe(201)
  const text = JSON.stringify(document)
  const admin = (await platform.get('/v1/auth/me')).body.id
  expect(body).toEqual({
    id: body.id,
    resource_type: 'user-resource',
    displayName: 'R',
    description: 'D',
    tags: { type: 'config' },
    document,
    metadata: {
      size: Buffer.byteLength(text),
      sha256: hashSha256(text),
      contentType: 'application/json',
      createdAt: body.metadata.createdAt,
      createdBy: admin,
      changedAt: body.metadata.createdAt,
      changedBy: admin,
    },
    history: {
      entries: [{ at: body.history.entries[0].at, actorType: 'user', actorId: admin, action: 'create' }],
    },
    organizationId: platform.organizationId,
    authorizationContext: { viewableByOrganizations: [] },
  })
  expect(body.history.entries[0].at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const one = `${url}/${body.id}`
  expect((await platform.get(one)).body).toEqual(body)
  const downloaded = await platform.get(`${url}/download/${body.id}`)
  expect(JSON.stringify(downloaded.body)).toBe(text)
  expect(downloaded.headers.get('content-disposition')).toContain('attachment; filename="R.json"')
  const changed = (await platform.patch(one, { displayName: 'S', document: { b: 2 } })).body
  expect(changed).toMatchObject({ displayName: 'S', description: 'D', tags: body.tags, document: { b: 2 } })
  expect(changed.metadata.sha256).toBe(hashSha256('{"b":2}'))
  expect((await platform.patch(one, { description: null })).body.description).toBe(null)
  const actions = (await platform.get(one)).body.history.entries.map(
    (entry: { action: string }) => entry.action,
  )
  expect(actions).toEqual(['update', 'update', 'create'])
  expect((await platform.delete(one)).status).toBe(204)
  expect((await platform.get(one)).status).toBe(404)
  const [last] = (await platform.get(`/v1/audit-log?resourceId=${body.id}`)).body
  expect(last).toMatchObject({
    action: 'delete',
    resourceType: 'resource_item',
    before: { displayName: 'S' },
  })
})

test('a change that was made on another document is refused, and changes nothing [docs/files#documents]', async () => {
  const { id, metadata } = (await create()).body
  const change = (document: object, ifSha256: string) =>
    platform.patch(`${url}/${id}`, { document, displayName: 'Mine', ifSha256 })
  expect((await change({ first: 1 }, metadata.sha256)).status).toBe(200)
  const present = (await platform.get(`${url}/${id}`)).body
  const refused = await change({ a: 2 }, metadata.sha256)
  expect([refused.status, refused.body.error, refused.body.details.sha256]).toEqual([
    409,
    'conflict',
    present.metadata.sha256,
  ])
  expect((await platform.get(`${url}/${id}`)).body).toEqual(present)
  // Of two changes at once on the same document, one is refused.
  const both = await Promise.all([3, 4].map((a) => change({ a }, present.metadata.sha256)))
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect((await change({ a: 5 }, 'no digest')).status).toBe(400)
})

test('the history names the last 20 changes', async () => {
  const { id } = (await create()).body
  for (let change = 0; change < 21; change++) await platform.patch(`${url}/${id}`, {})
  const { entries } = (await platform.get(`${url}/${id}`)).body.history
  expect(entries).toHaveLength(20)
  expect(entries.at(-1).action).toBe('update')
})

test.each([
  ['no name', { displayName: undefined }],
  ['no document', { document: undefined }],
  ['a document that is a list', { document: [] }],
  ['a document that is text', { document: '{}' }],
  ['a document of 100 levels', { document: nested(100) }],
  ['a document with NUL', { document: { a: ['\u0000'] } }],
  ['a document with half a character', { document: { '\ud800': 1 } }],
  ['a tag that is a number', { tags: { a: 1 } }],
  ['a tag without a key', { tags: { '': 'a' } }],
  ['a tag without a value', { tags: { a: '' } }],
  ['a long tag', { tags: { a: 'x'.repeat(129) } }],
  ['a tag with a long key', { tags: { ['x'.repeat(129)]: 'a' } }],
  ['a tag with NUL', { tags: { a: '\u0000' } }],
  ['51 tags', { tags: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, 'v'])) }],
  ['an invalid organization', { organizationId: 'x' }],
])('%s is refused', async (_what, fields) => {
  expect((await create(fields)).body).toMatchObject({ error: 'validation_error' })
})

test('a document may have 64 levels and 1 MiB', async () => {
  expect((await create({ document: nested(62) })).status).toBe(201)
  expect((await create({ document: { a: 'x'.repeat(1024 * 1024) } })).body.error).toBe('payload_too_large')
})

test('filters by tags: all of several filters, any alternative of one [docs/files#tags]', async () => {
  const organizationId = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} resource_item_manager organization:${organizationId}`)
  const make = async (displayName: string, tags: object) =>
    create({ displayName, tags, organizationId }, { token })
  await make('logo', { type: 'logo', site: 'north' })
  await make('image', { type: 'image', site: 'north' })
  await make('south', { type: 'logo', site: 'south' })
  await make('odd', { 'a:b|c': 'd|e:f\\' })
  await make('none', {})
  const named = async (...tags: string[]) => {
    const query = new URLSearchParams(tags.map((tag): [string, string] => ['tag', tag]))
    const { body } = await platform.get(`${url}?${query}`, { token })
    return body.map((resource: { displayName: string }) => resource.displayName)
  }
  expect(await named('type:logo')).toEqual(['logo', 'south'])
  expect(await named('type:logo', 'site:north')).toEqual(['logo'])
  expect(await named('type:logo|type:image', 'site:north')).toEqual(['logo', 'image'])
  expect(await named('type:image|site:south')).toEqual(['image', 'south'])
  expect(await named('type:logo|image')).toEqual(['logo', 'image', 'south'])
  expect(await named('a\\:b\\|c:d\\|e:f\\\\')).toEqual(['odd'])
  expect(await named('type:nothing')).toEqual([])
  expect(await named()).toHaveLength(5)
  expect((await platform.get(`${url}?resource_type=user-resource`, { token })).body).toHaveLength(5)
  expect((await platform.get(`${url}?resource_type=other`, { token })).body).toEqual([])
  expect((await platform.get(`${url}?tag=logo`)).body.error).toBe('validation_error')
  expect((await platform.get(`${url}/tags`, { token })).body).toEqual({
    'a:b|c': ['d|e:f\\'],
    site: ['north', 'south'],
    type: ['image', 'logo'],
  })
})

test('a page links to the next one, also if it is shorter because of large documents', async () => {
  const organizationId = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} resource_item_manager organization:${organizationId}`)
  const document = { text: 'x'.repeat(1_000_000) }
  for (let made = 0; made < 10; made++)
    await create({ document, organizationId, tags: { size: 'large' } }, { token })
  const lengths = []
  let next: string | undefined = `${url}?tag=size:large&tag=size:large`
  while (next) {
    const page = await platform.get(next, { token })
    lengths.push(page.body.length)
    next = /<(.+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
  }
  expect(lengths).toEqual([8, 2])
})

test('PUT replaces the tags, as themselves or as an object that holds them', async () => {
  const one = `${url}/${(await create({ tags: { a: 'b' } })).body.id}`
  expect((await platform.put(`${one}/tags`, { type: 'logo' })).body.tags).toEqual({ type: 'logo' })
  expect((await platform.put(`${one}/tags`, { tags: { type: 'json' } })).body.tags).toEqual({ type: 'json' })
  expect((await platform.put(`${one}/tags`, { tags: 'text' })).body.tags).toEqual({ tags: 'text' })
  expect((await platform.put(`${one}/tags`, {})).body.tags).toEqual({})
  for (const body of [[], 'x', { a: 1 }, { tags: { a: 1 } }])
    expect((await platform.put(`${one}/tags`, body)).body.error).toMatch(
      /validation_error|unsupported_media_type/,
    )
})

test('viewableByOrganizations lets members of another organization only view and download it', async () => {
  const branch = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} member organization:${branch}`)
  const { body } = await create({
    tags: { seen: 'yes' },
    authorizationContext: { viewableByOrganizations: [branch] },
  })
  const hidden = (await create({ tags: { seen: 'no' } })).body.id
  expect((await platform.get(url, { token })).body).toEqual([body])
  expect((await platform.get(`${url}/tags`, { token })).body).toEqual({ seen: ['yes'] })
  expect((await platform.get(`${url}/download/${body.id}`, { token })).status).toBe(200)
  for (const answer of [
    await platform.get(`${url}/${hidden}`, { token }),
    await platform.get(`${url}/download/${hidden}`, { token }),
    await platform.patch(`${url}/${body.id}`, {}, { token }),
    await platform.put(`${url}/${body.id}/tags`, {}, { token }),
    await platform.delete(`${url}/${body.id}`, { token }),
    await create({}, { token }),
  ])
    expect(answer.status).toBe(403)
})

test('another tenant cannot access it', async () => {
  const { id } = (await create()).body
  const { token } = await platform.makeTenant('resourceless')
  for (const answer of [
    await platform.get(`${url}/${id}`, { token }),
    await platform.get(`${url}/download/${id}`, { token }),
    await platform.get(`${url}/${id}/references`, { token }),
    await platform.patch(`${url}/${id}`, {}, { token }),
    await platform.put(`${url}/${id}/tags`, {}, { token }),
    await platform.delete(`${url}/${id}`, { token }),
    await create({ organizationId: platform.organizationId }, { token }),
  ])
    expect(answer.status).toBe(404)
  expect((await platform.get(url, { token })).body).toEqual([])
  expect((await platform.get(`${url}/tags`, { token })).body).toEqual({})
})

test('a used resource can be deleted, and is kept with ifUnused', async () => {
  const logo = (await upload(platform)).body.id
  const theme = (await create({ tags: { theme: 'dark' }, document: { logo } })).body.id
  const widget = {
    id: 'w',
    kind: 'image',
    position: { x: 0, y: 0, w: 2, h: 2 },
    options: { resourceId: logo },
  }
  const data = { version: 1, widgets: [widget] }
  const body = { displayName: 'D', organizationId: platform.organizationId, data }
  const dashboard = (await platform.post('/v1/dashboards', body)).body.id
  const usedBy = [
    { type: 'theme', id: theme },
    { type: 'dashboard', id: dashboard },
  ]
  expect((await platform.get(`${url}/${logo}/references`)).body).toEqual(usedBy)
  expect((await platform.get(`${url}/${theme}/references`)).body).toEqual([])
  expect(await platform.delete(`${url}/${logo}?ifUnused=true`)).toMatchObject({
    status: 409,
    body: { error: 'conflict', details: { usedBy } },
  })
  expect((await platform.get(`${url}/download/${logo}`)).status).toBe(200)
  expect((await platform.delete(`${url}/${logo}?ifUnused=maybe`)).status).toBe(400)
  expect((await platform.delete(`${url}/${logo}`)).status).toBe(204)
  expect((await platform.get(`${url}/${logo}`)).status).toBe(404)
  const unused = (await create({ document: {} })).body.id
  expect((await platform.delete(`${url}/${unused}?ifUnused=true`)).status).toBe(204)
})

test('what uses a resource is counted, and named only to those who may view it', async () => {
  const shared = await makeOrganization(platform)
  const { id: logo } = (await create({ organizationId: shared, document: {} })).body
  const theme = (await create({ tags: { theme: 'dark' }, document: { logo } })).body.id
  const widget = {
    id: 'w',
    kind: 'image',
    position: { x: 0, y: 0, w: 2, h: 2 },
    options: { resourceId: logo },
  }
  const data = { version: 1, widgets: [widget] }
  const dashboard = { displayName: 'D', organizationId: platform.organizationId, data }
  const { id: hidden } = (await platform.post('/v1/dashboards', dashboard)).body
  const { id: shown } = (await platform.post('/v1/dashboards', { ...dashboard, organizationId: shared })).body
  const file = await upload(platform, { fields: { organizationId: shared }, content: 'value\n1\n' })
  const simulation = {
    displayName: 'S',
    organizationId: platform.organizationId,
    providerId: 'mqtt',
    count: 1,
    intervalSeconds: 60,
    signals: [{ name: 'value', generator: 'csv', resourceId: file.body.id, column: 'value' }],
  }
  const { id: simulated } = (await platform.post('/v1/simulations', simulation)).body
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} resource_item_manager organization:${shared}`)
  await relate(platform, `${id} member organization:${shared}`)

  const usedBy = [
    { type: 'theme', id: null },
    { type: 'dashboard', id: null },
    { type: 'dashboard', id: shown },
  ]
  expect((await platform.get(`${url}/${logo}/references`, { token })).body).toEqual(usedBy)
  const refused = await platform.delete(`${url}/${logo}?ifUnused=true`, { token })
  expect(refused).toMatchObject({ status: 409, body: { details: { usedBy } } })
  for (const secret of [theme, hidden]) expect(JSON.stringify(refused.body)).not.toContain(secret)
  expect(refused.body.message).toContain(`The dashboard ${shown} uses this resource.`)

  const references = async (options = {}) =>
    (await platform.get(`${url}/${file.body.id}/references`, options)).body
  expect(await references({ token })).toEqual([{ type: 'simulation', id: null }])
  expect(await references()).toEqual([{ type: 'simulation', id: simulated }])
  const limited = await platform.post('/v1/api-tokens', {
    displayName: 'files',
    privileges: ['resource_item_management'],
  })
  expect(await references({ token: limited.body.token })).toEqual([{ type: 'simulation', id: null }])
})

test('an organization with a resource cannot be deleted', async () => {
  const organizationId = await makeOrganization(platform)
  const { id } = (await create({ organizationId })).body
  expect((await platform.delete(`/v1/organizations/${organizationId}`)).body.details.holds).toEqual({
    resource_item: 1,
  })
  await platform.delete(`${url}/${id}`)
  expect((await platform.delete(`/v1/organizations/${organizationId}`)).status).toBe(204)
})
