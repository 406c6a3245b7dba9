import { afterAll, beforeAll, expect, test } from 'vitest'
import { bring, hot, makeAlarm } from '../../test/harness/alarm-walk.ts'
import { insertAsset, makePumpModel, pumpModel } from '../../test/harness/assets.ts'
import { listAuditActions } from '../../test/harness/audit.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../test/harness/users.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
  await insertAsset(platform, 'pump')
})
afterAll(() => platform[Symbol.asyncDispose]())

const url = '/v1/alarms'
const create = (fields: object = {}, options = {}) =>
  platform.post(url, { name: 'Hot', entityTypeId: pumpModel, condition: hot, ...fields }, options)

test('creates, reads, changes and deletes an alarm [docs/alarms#fields]', async () => {
  const { status, body } = await create({ entityIds: ['pump'], type: 'threshold', forSeconds: 5 })
  expect(status).toBe(201)
  expect(body).toEqual({
    id: body.id,
    name: 'Hot',
    description: null,
    type: 'threshold',
    entityTypeId: pumpModel,
    entityIds: ['pump'],
    condition: hot,
    clearCondition: null,
    severity: 3,
    forSeconds: 5,
    noDataSeconds: 0,
    maxLatenessSeconds: 0,
    organizationId: platform.organizationId,
  })
  const one = `${url}/${body.id}`
  expect((await platform.get(one)).body).toEqual(body)
  const changed = { ...body, name: 'Hotter', severity: 5, entityIds: [] }
  expect((await platform.put(one, { name: 'Hotter', severity: 5, entityIds: [] })).body).toEqual(changed)
  expect((await platform.get(url)).body).toEqual([changed])
  expect((await platform.delete(one)).status).toBe(204)
  expect((await platform.get(one)).status).toBe(404)
  expect(await listAuditActions(platform, body.id)).toEqual(['delete', 'update', 'create'])
})

test('an alarm that names a deleted asset can be changed; an asset that is added must exist', async () => {
  for (const id of ['leaves', 'stays']) await insertAsset(platform, id)
  const { body } = await create({ entityIds: ['leaves', 'stays'] })
  await platform.delete('/v1/assets/leaves')
  const put = (fields: object) => platform.put(`${url}/${body.id}`, { name: 'Hot', ...fields })
  expect(await put({ severity: 5 })).toMatchObject({ status: 200, body: { entityIds: ['leaves', 'stays'] } })
  expect((await put({ ...body, severity: 4 })).status).toBe(200)
  expect(await put({ entityIds: ['stays', 'nobody'] })).toMatchObject({
    status: 400,
    body: { details: { issues: [{ path: 'entityIds', message: expect.stringContaining('nobody') }] } },
  })
  // Assets of another model are not found either.
  const other = { entityTypeId: 'dtmi:com:example:Motor;1', condition: null, noDataSeconds: 60 }
  expect((await put(other)).status).toBe(400)
  expect((await put({ entityIds: ['stays'] })).body.entityIds).toEqual(['stays'])
  // Once it is removed from the list, it is treated like any asset that does not exist.
  expect((await put({ entityIds: ['stays', 'leaves'] })).status).toBe(400)
  await platform.delete(`${url}/${body.id}`)
})

test('an alarm with a name alone watches nothing until it is completed', async () => {
  const { status, body } = await platform.post(url, { name: 'Later' })
  expect(status).toBe(201)
  expect(body).toMatchObject({ entityTypeId: null, condition: null, organizationId: platform.organizationId })
  const answer = await platform.put(`${url}/${body.id}`, {
    name: 'Now',
    entityTypeId: pumpModel,
    condition: hot,
  })
  expect(answer.status).toBe(200)
  const [change] = await bring(platform.ctx, [{ assetId: 'pump', value: 99 }])
  expect(change?.status.alarmName).toBe('Now')
  await platform.delete(`${url}/${body.id}`)
})

test.each([
  ['no name', { name: undefined }, 'body'],
  ['severity 0', { severity: 0 }, 'severity'],
  ['severity 6', { severity: 6 }, 'severity'],
  ['a severity that is text', { severity: '3' }, 'severity'],
  ['half a severity', { severity: 2.5 }, 'severity'],
  ['a condition that is an object', { condition: { '>': [{ var: 'temperature' }, 80] } }, 'condition'],
  ['a condition that is not JSONLogic', { condition: 'temperature > 80' }, 'condition'],
  ['a condition of almost a megabyte', { condition: `"${'x'.repeat(1_000_000)}"` }, 'condition'],
  ['an unknown signal', { condition: hot.replace('temperature', 'heat') }, 'condition'],
  ['a property as signal', { condition: hot.replace('temperature', 'target') }, 'condition'],
  ['a clearCondition alone', { condition: null, clearCondition: hot }, 'condition'],
  ['an unknown clearCondition', { clearCondition: hot.replace('temperature', 'heat') }, 'clearCondition'],
  ['a condition without a model', { entityTypeId: null }, 'entityTypeId'],
  ['an unknown model', { entityTypeId: 'dtmi:none;1' }, 'entityTypeId'],
  ['an unknown asset', { entityIds: ['nobody'] }, 'entityIds'],
  ['an asset twice', { entityIds: ['pump', 'pump'] }, 'entityIds'],
  [
    'an asset of another model',
    { entityTypeId: 'dtmi:com:example:Motor;1', condition: null, noDataSeconds: 9, entityIds: ['pump'] },
    'entityIds',
  ],
  ['negative seconds', { forSeconds: -1 }, 'forSeconds'],
  ['centuries', { noDataSeconds: 9e9 }, 'noDataSeconds'],
])('%s is refused by name', async (_what, fields, path) => {
  const { status, body } = await create(fields)
  expect([status, body.error]).toEqual([400, 'validation_error'])
  expect(body.details.issues[0].path).toContain(path)
})

test('a body over 1 MiB is refused before it is read', async () => {
  expect((await create({ condition: 'x'.repeat(1_100_000) })).status).toBe(413)
})

test('an alarm belongs to its organization, and stays there', async () => {
  const branch = await makeOrganization(platform)
  const { body } = await create({ organizationId: branch })
  expect(body.organizationId).toBe(branch)
  const answer = await platform.put(`${url}/${body.id}`, {
    name: 'x',
    organizationId: platform.organizationId,
  })
  expect(answer.body.details.issues[0].path).toBe('organizationId')
})

test('creating needs alarm_management in the organization, and view on the model and the assets', async () => {
  const branch = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} alarm_manager organization:${branch}`)
  const refused = await create({ organizationId: platform.organizationId }, { token })
  expect(refused.body.details.required).toMatchObject({ privilege: 'alarm_management' })
  const blind = await create({ organizationId: branch }, { token })
  expect(blind.body.details.required).toMatchObject({ permission: 'view', resourceType: 'model' })
  const viewer = { subjectType: 'user', subjectId: id, relation: 'viewer' }
  await platform.post('/v1/relations', { ...viewer, resourceType: 'model', resourceId: pumpModel })
  const asset = await create({ organizationId: branch, entityIds: ['pump'] }, { token })
  expect(asset.body.details.required).toMatchObject({
    permission: 'view',
    resourceType: 'asset',
    resourceId: 'pump',
  })
  const { status, body } = await create({ organizationId: branch }, { token })
  expect(status).toBe(201)
  expect((await platform.get(url, { token })).body).toEqual([body])
  expect((await platform.put(`${url}/${body.id}`, { name: 'y' }, { token })).status).toBe(200)
})

test('a viewer cannot change or delete an alarm, and a manager cannot delete it', async () => {
  const alarmId = await makeAlarm(platform)
  const { id, token } = await makeUser(platform)
  const change = () => platform.put(`${url}/${alarmId}`, { name: 'Changed' }, { token })
  const remove = () => platform.delete(`${url}/${alarmId}`, { token })
  await relate(platform, `${id} viewer alarm:${alarmId}`)
  expect((await platform.get(`${url}/${alarmId}`, { token })).status).toBe(200)
  expect((await change()).body.details.required).toMatchObject({ permission: 'manage' })
  expect((await remove()).body.details.required).toMatchObject({ permission: 'delete' })
  await relate(platform, `${id} manager alarm:${alarmId}`)
  // Changing an alarm needs view on its model, too.
  const viewer = { subjectType: 'user', subjectId: id, relation: 'viewer' }
  await platform.post('/v1/relations', { ...viewer, resourceType: 'model', resourceId: pumpModel })
  expect((await change()).status).toBe(200)
  expect((await remove()).body.details.required).toMatchObject({ permission: 'delete' })
  await relate(platform, `${id} owner alarm:${alarmId}`)
  expect((await remove()).status).toBe(204)
})

test('another tenant cannot find it', async () => {
  const id = await makeAlarm(platform)
  const { token } = await platform.makeTenant('alarmless')
  for (const answer of [
    await platform.get(`${url}/${id}`, { token }),
    await platform.put(`${url}/${id}`, { name: 'x' }, { token }),
    await platform.delete(`${url}/${id}`, { token }),
  ])
    expect(answer.status).toBe(404)
  expect((await platform.get(url, { token })).body).toEqual([])
  expect((await create({}, { token })).body.details.issues[0].path).toBe('entityTypeId')
})
