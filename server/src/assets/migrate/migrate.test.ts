import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  insertAsset,
  insertBinding,
  makeModel,
  makePumpModel,
  pumpContents,
  pumpModel,
} from '../../../test/harness/assets.ts'
import { type Platform, type RequestOptions, startPlatform } from '../../../test/harness/platform.ts'
import { makeUser, relate } from '../../../test/harness/users.ts'
import type { BindingChange } from '../bindings/binding-changes.ts'
import { listBindings } from '../bindings/store.ts'

const next = 'dtmi:com:example:Pump;2'
let platform: Platform
const changes: BindingChange[] = []
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
  await makeModel(platform, next, [
    { '@type': 'Telemetry', name: 'temperature', schema: 'double' },
    // Text has become a number, and a number has a smaller range.
    { '@type': 'Telemetry', name: 'status', schema: 'integer' },
    { '@type': 'Property', name: 'target', schema: 'double', writable: true },
    { '@type': 'Command', name: 'start', request: { name: 'speed', schema: 'string' } },
    { '@type': 'Component', name: 'drive', schema: 'dtmi:com:example:Motor;1' },
  ])
  platform.ctx.bindingListeners.push((change) => changes.push(change))
})
beforeEach(() => void changes.splice(0))
afterAll(() => platform[Symbol.asyncDispose]())

const migrate = (assetIds: unknown, fields: object = {}, options: RequestOptions = {}) =>
  platform.post('/v1/assets/migrate', { targetAssetModelId: next, assetIds, ...fields }, options)
const getModelId = async (id: string) => (await platform.get(`/v1/assets/${id}`)).body.modelId
const describeBindings = async (id: string) =>
  (await listBindings(platform.ctx.db, 'default', id)).map(
    ({ componentId, kind, name }) => `${componentId || '-'}/${kind}/${name}`,
  )

/** An asset with all kinds of endpoints bound to another asset, ignored ones, and properties. */
async function makePump(id: string): Promise<void> {
  const number = await insertAsset(platform, id)
  const source = `${id}-source`
  await insertAsset(platform, source)
  for (const key of [
    '-/telemetry/temperature',
    '-/telemetry/status',
    '-/telemetry/pressure',
    '-/command/start',
    'motor/telemetry/rpm',
  ])
    await insertBinding(platform, `${id}/${key}`, [`${source}/${key}`])
  const { db } = platform.ctx
  await db
    .updateTable('assets')
    .set({ ignored_endpoints: ['-/property/target', '-/property/serial', '-/telemetry/status'] })
    .where('number', '=', number)
    .execute()
  await db
    .insertInto('asset_twins')
    .values({
      asset_number: number,
      desired: JSON.stringify({ target: 20, motor: { limit: 9, __t: 'c' }, $version: 3 }),
      reported: JSON.stringify({ target: 19, serial: 'x', motor: { limit: 8 }, 'a/b': { c: 1 }, drive: 7 }),
    })
    .execute()
}

test('endpoints of the target stay bound; other bindings are removed and named [docs/assets#migration]', async () => {
  await makePump('a')
  const answer = {
    targetAssetModelId: next,
    assets: [
      {
        assetId: 'a',
        fromModelId: pumpModel,
        removedBindings: [
          'a/-/command/start',
          'a/-/telemetry/pressure',
          'a/-/telemetry/status',
          'a/motor/telemetry/rpm',
        ],
        brokenBindings: [],
        unknownProperties: [
          'a/-/property/a/b',
          'a/-/property/drive',
          'a/-/property/serial',
          'a/motor/property/limit',
        ],
      },
    ],
  }
  const before = await describeBindings('a')
  expect(await migrate(['a'], { dryRun: true })).toMatchObject({ status: 200, body: answer })
  expect([await getModelId('a'), await describeBindings('a'), changes]).toEqual([pumpModel, before, []])
  const { status, body } = await migrate(['a'])
  expect([status, body]).toEqual([200, answer])
  expect(await getModelId('a')).toBe(next)
  expect(await describeBindings('a')).toEqual(['-/telemetry/temperature'])
  const row = await platform.ctx.db
    .selectFrom('assets as a')
    .innerJoin('asset_twins as t', 't.asset_number', 'a.number')
    .select(['a.ignored_endpoints', 't.reported'])
    .where('a.id', '=', 'a')
    .executeTakeFirstOrThrow()
  expect(row.ignored_endpoints).toEqual(['-/property/target'])
  // Properties stay, whatever the model says.
  expect(row.reported).toMatchObject({ serial: 'x' })
  expect(changes).toEqual([{ tenantId: 'default', instanceIds: expect.arrayContaining(['a', 'a-source']) }])
  const [entry] = (await platform.get('/v1/audit-log?resourceId=a')).body
  expect(entry).toMatchObject({
    action: 'migrate',
    before: { modelId: pumpModel },
    after: { modelId: next, ignoredEndpoints: ['-/property/target'] },
  })
})

test('many assets migrate at once, answered in the requested order; repeating removes nothing', async () => {
  for (const id of ['m-2', 'm-1']) await makePump(id)
  const { body } = await migrate(['m-2', 'm-1'])
  expect(body.assets.map(({ assetId }: { assetId: string }) => assetId)).toEqual(['m-2', 'm-1'])
  const again = (await migrate(['m-1'])).body.assets
  expect(again).toMatchObject([{ assetId: 'm-1', fromModelId: next, removedBindings: [] }])
  const models = await platform.get(`/v1/assets?modelId=${encodeURIComponent(next)}`)
  expect(models.body.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(['m-1', 'm-2']))
})

test('if one asset is missing or may not be managed, none is migrated', async () => {
  for (const id of ['h-1', 'h-2']) await insertAsset(platform, id)
  expect(await migrate(['h-1', 'nowhere', 'h-2', `'"/`])).toMatchObject({ status: 400 })
  expect(await migrate(['h-1', 'nowhere', 'h-2', 'neither'])).toMatchObject({
    status: 404,
    body: { error: 'not_found', details: { assetIds: ['nowhere', 'neither'] } },
  })
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} manager asset:h-1`)
  await relate(platform, `${id} viewer asset:h-2`)
  expect((await migrate(['h-1', 'h-2'], {}, { token })).body.details.required).toEqual({
    permission: 'manage',
    resourceType: 'asset',
    resourceId: 'h-2',
  })
  // The user may not view the target.
  expect((await migrate(['h-1'], {}, { token })).body.details.required).toMatchObject({ resourceId: next })
  expect(await Promise.all(['h-1', 'h-2'].map(getModelId))).toEqual([pumpModel, pumpModel])
})

test('a migration that fails halfway changes nothing', async () => {
  await makePump('f-1')
  await makePump('f-2')
  const before = [await describeBindings('f-1'), await describeBindings('f-2')]
  const { pool } = platform.ctx
  await pool.query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$`)
  await pool.query(`create trigger refuse before delete on asset_bindings for each row
    when (old.name = 'rpm') execute function refuse()`)
  expect((await migrate(['f-1', 'f-2'])).status).toBe(500)
  await pool.query('drop trigger refuse on asset_bindings')
  expect([await describeBindings('f-1'), await describeBindings('f-2')]).toEqual(before)
  expect([await getModelId('f-1'), changes]).toEqual([pumpModel, []])
  expect((await platform.get('/v1/audit-log?resourceId=f-1')).body).toEqual([])
  expect((await migrate(['f-1', 'f-2'])).status).toBe(200)
})

test('migrations of the same assets in different orders do not wait for each other', async () => {
  const ids = ['o-1', 'o-2', 'o-3']
  for (const id of ids) await insertAsset(platform, id)
  const orders = [ids, ids.toReversed(), ids, ids.toReversed()]
  const targets = [next, pumpModel, next, pumpModel]
  const answers = await Promise.all(
    orders.map((order, index) => migrate(order, { targetAssetModelId: targets[index] })),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(new Set(await Promise.all(ids.map(getModelId))).size).toBe(1)
})

test('an asset that is deleted concurrently is either migrated first or named as missing', async () => {
  for (let round = 0; round < 5; round++) {
    const id = `d-${round}`
    await insertAsset(platform, id)
    const [migrated, gone] = await Promise.all([migrate([id]), platform.delete(`/v1/assets/${id}`)])
    expect([200, 404]).toContain(migrated.status)
    expect(gone.status).toBe(204)
  }
})

test.each([
  ['no assets', []],
  ['an asset twice', ['a', 'a']],
  ['one as text', 'a'],
  ['an id of 129 characters', ['a'.repeat(129)]],
  ['a number', [1]],
  ['1,001 assets', Array.from({ length: 1001 }, (_, index) => `n-${index}`)],
])('%s is refused', async (_what, assetIds) => {
  expect((await migrate(assetIds)).body.error).toBe('validation_error')
})

test('a missing target, no target, or a dryRun as text is refused', async () => {
  await insertAsset(platform, 't')
  expect((await migrate(['t'], { targetAssetModelId: 'dtmi:nowhere;1' })).status).toBe(404)
  expect((await migrate(['t'], { targetAssetModelId: undefined })).status).toBe(400)
  expect((await migrate(['t'], { dryRun: 'true' })).status).toBe(400)
  expect(await getModelId('t')).toBe(pumpModel)
})

test('assets and models of another tenant are not found', async () => {
  await insertAsset(platform, 'ours')
  const { token, organizationId } = await platform.makeTenant('elsewhere')
  expect((await migrate(['ours'], {}, { token })).body.details).toEqual({ assetIds: ['ours'] })
  const definition = { '@context': 'dtmi:dtdl:context;3', '@id': 'dtmi:theirs;1', '@type': 'Interface' }
  await platform.post('/v1/models', { organizationId, definition }, { token })
  expect((await migrate(['ours'], { targetAssetModelId: 'dtmi:theirs;1' })).status).toBe(404)
})

test('after it, the new model is in use and the old one is not', async () => {
  const models = ['dtmi:free:Old;1', 'dtmi:free:New;1']
  for (const id of models) await makeModel(platform, id, pumpContents.slice(0, 2))
  await insertAsset(platform, 'mover', { modelId: models[0] })
  expect((await platform.delete(`/v1/models/${models[0]}`)).status).toBe(409)
  await migrate(['mover'], { targetAssetModelId: models[1] })
  expect((await platform.delete(`/v1/models/${models[1]}`)).status).toBe(409)
  expect((await platform.delete(`/v1/models/${models[0]}`)).status).toBe(204)
})
