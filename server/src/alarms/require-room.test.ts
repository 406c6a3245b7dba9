import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hot } from '../../test/harness/alarm-walk.ts'
import { makePumpModel, pumpModel } from '../../test/harness/assets.ts'
import { type Platform, startPlatform, type TestAnswer } from '../../test/harness/platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

const make = (fields: object = {}) =>
  platform.post('/v1/alarms', { name: 'Hot', entityTypeId: pumpModel, condition: hot, ...fields })

test('creating an alarm does not wait for changes of another model', async () => {
  const { db } = platform.ctx
  const alarm = await db.transaction().execute(async (tx) => {
    const motor = tx.selectFrom('models').where('id', '=', 'dtmi:com:example:Motor;1')
    await motor.select('id').forUpdate().execute()
    let answer: TestAnswer | undefined
    void make().then((created) => (answer = created))
    await expect.poll(() => answer?.status).toBe(201)
    return answer!.body
  })
  await platform.delete(`/v1/alarms/${alarm.id}`)
})

test('a model has at most 1,000 alarms; alarms without a model or of another model do not count', async () => {
  const { body: first } = await make()
  await sql`
    insert into alarms
    select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid()))).* from alarms a, generate_series(1, 998)
    where a.id = ${first.id}`.execute(platform.ctx.db)
  const outcomes = await Promise.all([make(), make(), make()])
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
  const { body } = outcomes.find(({ status }) => status === 409)!
  expect(body).toMatchObject({ error: 'conflict', details: { limit: 1000 } })
  expect(body.message).toContain(`${pumpModel} has 1000 alarms`)
  const idle = await make({ entityTypeId: null, condition: null })
  expect(idle.status).toBe(201)
  const path = `/v1/alarms/${idle.body.id}`
  expect((await platform.put(path, { name: 'Hot', entityTypeId: pumpModel })).status).toBe(409)
  expect((await platform.put(`/v1/alarms/${first.id}`, { name: 'Hotter' })).status).toBe(200)
})
