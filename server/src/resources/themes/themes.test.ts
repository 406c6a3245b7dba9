import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { upload } from '../../../test/harness/uploads.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const current = '/v1/themes/current'
const none = {
  resourceId: null,
  organizationId: null,
  displayName: null,
  logo: null,
  favicon: null,
  logoUrl: null,
  missing: [],
  faviconUrl: null,
  colors: null,
}
const create = (document: object, fields: object = {}, options = {}) =>
  platform.post(
    '/v1/resources',
    { displayName: 'T', tags: { theme: 'default' }, document, ...fields },
    options,
  )

test('the newest theme of the nearest organization above applies [docs/files#themes]', async () => {
  const middle = await makeOrganization(platform)
  const branch = await makeOrganization(platform, { parentOrganizationId: middle })
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} member organization:${branch}`)
  const seen = async () => (await platform.get(current, { token })).body
  expect(await seen()).toEqual(none)
  const logo = (await upload(platform, { content: 'logo' })).body.id
  const colors = { primary: '#0af', background: '#00112233' }
  const root = (await create({ logo, colors, font: 'x' })).body
  const theme = await seen()
  expect(theme).toEqual({
    ...none,
    resourceId: root.id,
    organizationId: platform.organizationId,
    displayName: 'T',
    logo,
    logoUrl: expect.stringContaining(`${platform.url}/v1/files/`),
    colors,
  })
  expect(await (await fetch(theme.logoUrl)).text()).toBe('logo')
  const near = (await create({ favicon: logo }, { organizationId: middle })).body
  expect(await seen()).toMatchObject({ resourceId: near.id, logo: null, favicon: logo, colors: null })
  const newer = (await create({}, { organizationId: middle, displayName: 'Newer' })).body
  expect(await seen()).toEqual({
    ...none,
    resourceId: newer.id,
    organizationId: middle,
    displayName: 'Newer',
  })
  await platform.put(`/v1/resources/${newer.id}/tags`, {})
  expect((await seen()).resourceId).toBe(near.id)
  await platform.delete(`/v1/resources/${logo}`)
  expect(await seen()).toMatchObject({ favicon: logo, faviconUrl: null, missing: ['favicon'] })
  const asked = (organizationId: string, options = {}) =>
    platform.get(`${current}?organizationId=${organizationId}`, options)
  expect((await asked(middle)).body.resourceId).toBe(near.id)
  expect((await asked(platform.organizationId)).body.resourceId).toBe(root.id)
  expect((await asked(platform.organizationId, { token })).status).toBe(403)
  expect((await asked(crypto.randomUUID())).status).toBe(404)
  const { token: foreign } = await platform.makeTenant('plain')
  expect((await platform.get(current, { token: foreign })).body).toEqual(none)
  expect((await asked(middle, { token: foreign })).status).toBe(404)
})

test('a file with the tag is not a theme', async () => {
  const organizationId = await makeOrganization(platform)
  await upload(platform, { fields: { tags: '{"theme":"dark"}', organizationId } })
  const theme = (await platform.get(`${current}?organizationId=${organizationId}`)).body
  expect(theme.organizationId).not.toBe(organizationId)
})

test.each([
  ['an invalid color', { colors: { primary: 'red' } }, 'document.colors.primary'],
  ['a color with code in it', { colors: { primary: '#fff;}' } }, 'document.colors.primary'],
  ['colors that are a list', { colors: [] }, 'document.colors'],
  ['a logo that is not an id', { logo: 'logo.png' }, 'document.logo'],
  ['an unknown logo', { logo: crypto.randomUUID() }, 'document.logo'],
])('%s is refused', async (_what, document, path) => {
  const { body } = await create(document)
  expect(body.error).toBe('validation_error')
  expect(body.details.issues[0].path).toBe(path)
})

test('a document that gets the tag is checked as a theme', async () => {
  const { id } = (await create({ colors: 'red' }, { tags: {} })).body
  const one = `/v1/resources/${id}`
  for (const answer of [
    await platform.put(`${one}/tags`, { theme: 'x' }),
    await platform.patch(one, { tags: { theme: 'x' } }),
  ])
    expect(answer.body.error).toBe('validation_error')
  expect((await platform.patch(one, { tags: { theme: 'x' }, document: {} })).status).toBe(200)
})

test('the author of a theme must be allowed to view its pictures, in the same tenant', async () => {
  const logo = (await upload(platform)).body.id
  const branch = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} resource_item_manager organization:${branch}`)
  expect((await create({ logo }, {}, { token })).status).toBe(403)
  await relate(platform, `${id} viewer resource_item:${logo}`)
  const { status, body } = await create({ logo }, {}, { token })
  expect(status).toBe(201)
  const { token: foreign } = await platform.makeTenant('painters')
  expect((await create({ logo }, {}, { token: foreign })).body.error).toBe('validation_error')
  // Another user may change its other fields.
  const other = await makeUser(platform)
  await relate(platform, `${other.id} resource_item_manager organization:${branch}`)
  const change = { document: { logo, colors: {} } }
  expect((await platform.patch(`/v1/resources/${body.id}`, change, { token: other.token })).status).toBe(200)
})
