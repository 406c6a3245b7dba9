/**
 * Assets, binding descriptions and alarms that use a model restrict its changes. [docs/models#changing-a-model]
 * Models that use other models are tested in `models.test.ts`.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { insertAsset, makeModel } from '../../../test/harness/assets.ts'
import { type Platform, startPlatform, type TestAnswer } from '../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'
import { insertParent } from '../../access/relations/store.ts'
import { newId } from '../../lib/ids.ts'
import { deleteModel, lockModelsShared, lockModels } from './store.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const contents = [{ '@type': 'Telemetry', name: 'temperature', schema: 'double' }]
let made = 0
async function make(): Promise<string> {
  const id = `dtmi:used:Model${++made};1`
  await makeModel(platform, id, contents)
  return id
}
const bare = (id: string) => ({ '@context': 'dtmi:dtdl:context;3', '@id': id, '@type': 'Interface' })
const change = (id: string) => platform.put(`/v1/models/${id}`, { definition: bare(id) })
const remove = (id: string) => platform.delete(`/v1/models/${id}`)
const place = () => ({ tenant_id: 'default', organization_id: platform.organizationId })

const makers = {
  asset: async (modelId: string) => {
    await insertAsset(platform, 'user', { modelId })
    return 'user'
  },
  binding_description: async (modelId: string) => {
    const id = newId()
    const row = { ...place(), id, display_name: 'D', description: null, model_id: modelId, bindings: '[]' }
    await platform.ctx.db.insertInto('binding_descriptions').values(row).execute()
    await insertParent(platform.ctx.db, 'binding_description', row)
    return id
  },
  alarm: async (modelId: string) => {
    const id = newId()
    const none = { description: null, type: null, condition: null, clear_condition: null }
    const row = { ...place(), ...none, id, name: 'A', entity_type_id: modelId, severity: 1 }
    await platform.ctx.db.insertInto('alarms').values(row).execute()
    await insertParent(platform.ctx.db, 'alarm', row)
    return id
  },
}

test.each(Object.entries(makers))('an %s uses its model', async (type, makeUse) => {
  const model = await make()
  const id = await makeUse(model)
  for (const refused of [await change(model), await remove(model)])
    expect(refused).toMatchObject({
      status: 409,
      body: {
        error: 'conflict',
        message: expect.stringContaining(`The ${type.replace('_', ' ')} ${id} uses the model ${model}.`),
        details: { usedBy: [{ type, id }] },
      },
    })
  expect((await platform.put(`/v1/models/${model}`, { displayName: 'Other' })).status).toBe(200)
})

test('a refusal names only what its reader may view, and counts the rest', async () => {
  const model = await make()
  const shared = await makeOrganization(platform)
  const hidden = await makers.alarm(model)
  const { id: user, token } = await makeUser(platform)
  await relate(platform, `${user} model_manager organization:${platform.organizationId}`)
  const removeAsUser = () => platform.delete(`/v1/models/${model}`, { token })
  const nothingSeen = await removeAsUser()
  expect(nothingSeen.body).toMatchObject({
    message: `An alarm that you may not view uses the model ${model}. Delete that first.`,
    details: { usedBy: [{ type: 'alarm', id: null }] },
  })
  await insertAsset(platform, 'hidden-asset', { modelId: model })
  await insertAsset(platform, 'shared-asset', { modelId: model, organization: shared })
  await relate(platform, `${user} viewer organization:${shared}`)
  const refused = await removeAsUser()
  expect(refused.body.details.usedBy).toEqual([
    { type: 'asset', id: null },
    { type: 'asset', id: 'shared-asset' },
    { type: 'alarm', id: null },
  ])
  expect(refused.body.message).toContain('The asset shared-asset uses')
  for (const secret of [hidden, 'hidden-asset']) expect(JSON.stringify(refused.body)).not.toContain(secret)
})

test('a refusal names at most ten uses', async () => {
  const model = await make()
  for (let count = 0; count < 9; count++) await insertAsset(platform, `many-${count}`, { modelId: model })
  const alarms = [await makers.alarm(model), await makers.alarm(model)]
  const { usedBy } = (await remove(model)).body.details
  expect(usedBy).toHaveLength(10)
  expect(usedBy.slice(0, 9).map(({ id }: { id: string }) => id)).toContain('many-8')
  expect(alarms).toContain(usedBy[9].id)
})

test('a model is not changed or deleted under an asset that is created at the same moment', async () => {
  const { ctx, organizationId } = platform
  const model = await make()
  const answers: Promise<TestAnswer>[] = []
  // Holds the locks of creating an asset, after it has read the model and before it commits.
  await ctx.db.transaction().execute(async (tx) => {
    await lockModelsShared(tx, 'default')
    const waiting = [change(model), remove(model)]
    await untilWaiting(2)
    const row = {
      tenant_id: 'default',
      id: 'just-now',
      model_id: model,
      display_name: 'A',
      description: null,
    }
    await tx
      .insertInto('assets')
      .values({ ...row, organization_id: organizationId })
      .execute()
    answers.push(...waiting)
  })
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([409, 409])
})

/** Requests that wait for their turn. */
async function untilWaiting(count: number) {
  await vi.waitFor(async () => {
    const { rows } = await platform.ctx.pool.query(
      `select from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
    )
    expect(rows).toHaveLength(count)
  })
}

test('creating an asset waits while its model changes', async () => {
  const { ctx, organizationId } = platform
  const model = await make()
  const answers: Promise<TestAnswer>[] = []
  await ctx.db.transaction().execute(async (tx) => {
    await lockModels(tx, 'default')
    const body = { id: 'waiting', modelId: model, displayName: 'A', organizationId }
    answers.push(platform.post('/v1/assets', body))
    await untilWaiting(1)
    await deleteModel(tx, 'default', model)
  })
  expect((await answers[0]!).body.error).toBe('conflict')
})

test('assets are created concurrently', async () => {
  const model = await make()
  await platform.ctx.db.transaction().execute(async (tx) => {
    await lockModelsShared(tx, 'default')
    const body = { id: 'beside', modelId: model, displayName: 'A', organizationId: platform.organizationId }
    expect((await platform.post('/v1/assets', body)).status).toBe(201)
  })
})
