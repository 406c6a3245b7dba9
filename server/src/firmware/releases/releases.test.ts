import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, makeModel } from '../../../test/harness/assets.ts'
import { listAuditActions } from '../../../test/harness/audit.ts'
import { makeRelease, uploadFirmware } from '../../../test/harness/firmware.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'

let platform: Platform
let fileResourceId: string
const modelId = 'dtmi:fw:pump;1'
beforeAll(async () => {
  platform = await startPlatform()
  fileResourceId = (await uploadFirmware(platform)).body.id
  await makeModel(platform, modelId, [])
  await insertAsset(platform, 'an-asset', { modelId })
})
afterAll(() => platform[Symbol.asyncDispose]())

const url = '/v1/firmware/releases'
const create = (fields: object = {}, options = {}) =>
  platform.post(url, { displayName: '1.0', organizationId: platform.organizationId, ...fields }, options)

test('creates, reads, replaces and deletes a release [docs/firmware#files-and-releases]', async () => {
  const fields = {
    description: 'First',
    startingModels: [{ id: modelId }],
    propertyValues: [{ key: 'slot', value: { number: 2 } }],
    fileResourceId,
  }
  const { status, body } = await create(fields)
  expect(status).toBe(201)
  expect(body).toEqual({
    ...fields,
    id: body.id,
    displayName: '1.0',
    startingModels: [{ id: modelId, displayName: modelId }],
    fileName: 'pump.bin',
    fileMissing: false,
    organizationId: platform.organizationId,
  })
  const one = `${url}/${body.id}`
  expect((await platform.get(one)).body).toEqual(body)
  const changed = await platform.put(one, { displayName: '1.1', fileName: 'other.bin', startingModels: [] })
  const after = { ...body, displayName: '1.1', fileName: 'other.bin', startingModels: [] }
  expect(changed.body).toEqual(after)
  expect((await platform.get(url)).body).toEqual([after])
  const withoutFile = await platform.put(one, { displayName: '1.1', fileResourceId: null })
  expect(withoutFile.body).toMatchObject({ fileResourceId: null, fileName: null })
  expect((await platform.delete(one)).status).toBe(204)
  expect((await platform.get(one)).status).toBe(404)
  expect(await listAuditActions(platform, body.id)).toEqual(['delete', 'update', 'update', 'create'])
})

test.each([
  ['no name', { displayName: undefined }, 'displayName'],
  ['an unknown file', { fileResourceId: crypto.randomUUID() }, 'fileResourceId'],
  ['a file that is not an id', { fileResourceId: 'x' }, 'fileResourceId'],
  ['a file name with a path', { fileName: '../../etc/passwd' }, 'fileName'],
  ['a file name with a path of Windows', { fileName: 'C:\\pump.bin' }, 'fileName'],
  ['a file name that turns the direction', { fileName: 'pump\u202Enib.exe' }, 'fileName'],
  ['a file name with NUL', { fileName: 'a\u0000.bin' }, 'fileName'],
  ['a file name with a line break', { fileName: 'a\r\nset-cookie: x' }, 'fileName'],
  ['a file name of 1,000 characters', { fileName: 'n'.repeat(1000) }, 'fileName'],
  ['an unknown model', { startingModels: [{ id: 'dtmi:no:model;1' }] }, 'startingModels'],
  ['an asset for a model', { startingModels: [{ id: 'an-asset' }] }, 'startingModels'],
  [
    'a key twice',
    {
      propertyValues: [
        { key: 'a', value: 1 },
        { key: 'a', value: 2 },
      ],
    },
    'propertyValues',
  ],
  ['a key of the platform', { propertyValues: [{ key: 'fileUrl', value: 1 }] }, 'propertyValues'],
  ['a key that no placeholder can hold', { propertyValues: [{ key: 'a}', value: 1 }] }, 'propertyValues'],
  ['a key without value', { propertyValues: [{ key: 'a' }] }, 'propertyValues'],
  ['a value with NUL', { propertyValues: [{ key: 'a', value: '\u0000' }] }, 'propertyValues'],
  [
    'values that are too large',
    { propertyValues: [{ key: 'a', value: 'x'.repeat(70_000) }] },
    'propertyValues',
  ],
])('%s is refused', async (_what, fields, path) => {
  const { body } = await create(fields)
  expect(body.error).toBe('validation_error')
  expect(body.message).toContain(path)
})

test('a JSON document cannot be firmware', async () => {
  const document = (await platform.post('/v1/resources', { displayName: 'D', document: {} })).body.id
  expect((await create({ fileResourceId: document })).body.message).toContain('not a file')
})

test('the references of a file have its releases, and deleting it with ifUnused is refused', async () => {
  const file = (await uploadFirmware(platform, 'kept')).body.id
  const id = await makeRelease(platform, { fileResourceId: file })
  const use = { type: 'firmware_release', id }
  expect((await platform.get(`/v1/resources/${file}/references`)).body).toEqual([use])
  expect(await platform.delete(`/v1/resources/${file}?ifUnused=true`)).toMatchObject({
    status: 409,
    body: { details: { usedBy: [use] } },
  })
})

test('firmware_management in an organization suffices for all operations, also with a limited token', async () => {
  const branch = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  expect((await uploadFirmware(platform, 'x', { organizationId: branch, token })).status).toBe(403)
  await relate(platform, `${id} firmware_manager organization:${branch}`)
  const limited = await platform.post(
    '/v1/api-tokens',
    { displayName: 'ci', privileges: ['firmware_management'] },
    { token },
  )
  const file = await uploadFirmware(platform, 'x', { organizationId: branch, token: limited.body.token })
  expect(file.status).toBe(201)
  const fields = { organizationId: branch, fileResourceId: file.body.id }
  const release = await create(fields, { token: limited.body.token })
  expect(release.status).toBe(201)
  for (const each of [token, limited.body.token]) {
    expect((await platform.get(url, { token: each })).body).toEqual([release.body])
    const put = await platform.put(`${url}/${release.body.id}`, { displayName: '1.0' }, { token: each })
    expect(put.status).toBe(200)
  }
  expect((await create({}, { token })).body.details).toEqual({
    required: { privilege: 'firmware_management', organizationId: platform.organizationId },
  })
  expect((await create({ ...fields, fileResourceId }, { token })).status).toBe(403)
})

test.each(['', 'not-an-id', crypto.randomUUID()])(
  'uploading into the organization %j is refused',
  async (id) => {
    expect((await uploadFirmware(platform, 'x', { organizationId: id })).status).toBe(
      id.length === 36 ? 404 : 400,
    )
  },
)

test('another tenant cannot find a release', async () => {
  const id = await makeRelease(platform)
  const { token, organizationId } = await platform.makeTenant('softless')
  for (const answer of [
    await platform.get(`${url}/${id}`, { token }),
    await platform.put(`${url}/${id}`, { displayName: 'x' }, { token }),
    await platform.delete(`${url}/${id}`, { token }),
  ])
    expect(answer.status).toBe(404)
  expect((await platform.get(url, { token })).body).toEqual([])
  expect((await create({ organizationId, fileResourceId }, { token })).body.error).toBe('validation_error')
  expect((await create({ organizationId, startingModels: [{ id: modelId }] }, { token })).status).toBe(400)
})
