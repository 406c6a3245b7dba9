import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  alarmRow,
  bring,
  makeAlarm,
  listStates,
  startAlarmPlatform,
} from '../../../test/harness/alarm-walk.ts'
import { insertAsset } from '../../../test/harness/assets.ts'
import type { Platform } from '../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'
import { applyCrossings } from './apply-crossings.ts'
import { moveStatuses } from './move.ts'
import { changeStatuses } from './change-statuses.ts'

let platform: Platform
let alarmId: string
beforeAll(async () => {
  platform = await startAlarmPlatform()
  alarmId = await makeAlarm(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

const url = '/v1/alarms/status'
const ofEntity = (assetId: string, options = {}) => platform.get(`${url}/entity/${assetId}`, options)
const acknowledge = (id: string, options = {}) => platform.put(`${url}/acknowledge/${id}`, undefined, options)

async function activate(assetId: string, options = {}): Promise<string> {
  await insertAsset(platform, assetId, options)
  const [change] = await bring(platform.ctx, [{ assetId, value: 90 }])
  return change!.status.alarmStatusId
}

test('the record of a status, from activation to history [docs/alarms#status-records]', async () => {
  const before = Date.now()
  const id = await activate('p1')
  const [open] = (await ofEntity('p1')).body
  expect(open).toEqual({
    alarmStatusId: id,
    alarmId,
    alarmName: 'Hot',
    entityId: 'p1',
    entityName: 'Asset p1',
    severity: 3,
    state: 'active_unacknowledged',
    active: true,
    acknowledged: false,
    activatedAt: open.activatedAt,
    acknowledgedAt: null,
    acknowledgedBy: null,
    acknowledgeComment: null,
    inactiveAt: null,
    clearedAt: null,
    clearedReason: null,
    value: 90,
    timestamp: open.timestamp,
  })
  expect(Date.parse(open.activatedAt)).toBeGreaterThanOrEqual(before - 1000)
  const { status, body } = await acknowledge(id)
  expect(status).toBe(200)
  expect(body).toMatchObject({ state: 'active_acknowledged', acknowledged: true })
  expect(body.acknowledgedBy).toMatch(/^[0-9a-f-]{36}$/)
  await bring(platform.ctx, [{ assetId: 'p1', value: 70 }])
  expect((await ofEntity('p1')).body).toEqual([])
  expect((await platform.get(url)).body.map((s: { entityId: string }) => s.entityId)).not.toContain('p1')
  const [cleared] = (await platform.get(`${url}/history?entityId=p1&alarmId=${alarmId}`)).body
  expect(cleared).toMatchObject({ alarmStatusId: id, state: 'cleared', active: false, acknowledged: true })
  expect(Date.parse(cleared.clearedAt)).toBeGreaterThanOrEqual(Date.parse(cleared.acknowledgedAt))
})

test('a repeated acknowledgement answers 200 and changes nothing, also from two users at once', async () => {
  const id = await activate('p2')
  const { id: userId, token } = await makeUser(platform)
  await relate(platform, `${userId} viewer organization:${platform.organizationId}`)
  const answers = await Promise.all([acknowledge(id), acknowledge(id, { token }), acknowledge(id)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(new Set(answers.map(({ body }) => body.acknowledgedBy)).size).toBe(1)
  expect((await acknowledge(id)).body).toEqual(answers[0]!.body)
  const log = (await platform.get(`/v1/audit-log?resourceId=${id}`)).body
  expect(log).toHaveLength(1)
  expect(log[0].action).toBe('acknowledge')
})

test('the comment of the first acknowledgement is kept', async () => {
  const id = await activate('commented')
  const comment = 'Valve <stuck>; ☎ plumber'
  const { body } = await platform.put(`${url}/acknowledge/${id}`, { comment })
  expect(body).toMatchObject({ state: 'active_acknowledged', acknowledgeComment: comment })
  expect((await platform.put(`${url}/acknowledge/${id}`, { comment: 'later' })).body).toEqual(body)
  expect((await platform.get(`${url}/${id}`)).body).toEqual(body)
  const refused = await platform.put(`${url}/acknowledge/${id}`, { comment: '' })
  expect(refused.body.details.issues[0].path).toContain('comment')
})

test('one status is read while it is open and when it is cleared, and only by those who may view it', async () => {
  const id = await activate('single')
  expect((await platform.get(`${url}/${id}`)).body).toMatchObject({ alarmStatusId: id, active: true })
  await bring(platform.ctx, [{ assetId: 'single', value: 70 }])
  await acknowledge(id)
  expect((await platform.get(`${url}/${id}`)).body).toMatchObject({ state: 'cleared', entityId: 'single' })
  const { token } = await makeUser(platform)
  expect((await platform.get(`${url}/${id}`, { token })).status).toBe(404)
})

test('the list is filtered by severity, state, alarm, asset and node', async () => {
  const severe = await makeAlarm(platform, { name: 'Severe', severity: 5 })
  await activate('filtered')
  const read = async (query: string) => {
    const { status, body } = await platform.get(`${url}?entityId=filtered&${query}`)
    expect([query, status]).toEqual([query, 200])
    return body.map((one: { severity: number }) => one.severity).toSorted()
  }
  expect(await read('')).toEqual([3, 5])
  expect(await read('minSeverity=4')).toEqual([5])
  expect(await read(`alarmId=${severe}`)).toEqual([5])
  expect(await read(`alarmId=${alarmId}`)).toEqual([3])
  const statuses = (await ofEntity('filtered')).body
  await acknowledge(statuses.find((one: { severity: number }) => one.severity === 3).alarmStatusId)
  expect(await read('state=active_acknowledged')).toEqual([3])
  expect(await read('state=active_unacknowledged')).toEqual([5])
  expect((await platform.get(`${url}?state=cleared`)).status).toBe(400)
  expect((await platform.get(`${url}?minSeverity=6`)).status).toBe(400)

  const { organizationId } = platform
  const makeNode = async (displayName: string, parentNodeId: string | null) =>
    (await platform.post('/v1/tree/nodes', { displayName, parentNodeId, organizationId })).body.id
  const plant = await makeNode('Plant', null)
  const hall = await makeNode('Hall', plant)
  const to = { type: 'node', id: hall }
  await platform.post('/v1/tree/move', { type: 'asset', id: 'filtered', to })
  expect(await read(`nodeId=${plant}`)).toEqual([3, 5])
  expect(await read(`nodeId=${hall}&minSeverity=5`)).toEqual([5])
  expect(await read(`nodeId=${await makeNode('Elsewhere', null)}`)).toEqual([])
  expect((await platform.get(`${url}?nodeId=${alarmId}`)).status).toBe(404)
  const { token } = await makeUser(platform)
  expect((await platform.get(`${url}?nodeId=${plant}`, { token })).status).toBe(403)
  await platform.delete(`/v1/alarms/${severe}`)
})

test('an acknowledgement clears an inactive alarm', async () => {
  const id = await activate('p3')
  await bring(platform.ctx, [{ assetId: 'p3', value: 70 }])
  const { body } = await acknowledge(id)
  expect(body).toMatchObject({ state: 'cleared', active: false, acknowledged: true })
  expect((await acknowledge(id)).body).toEqual(body)
})

test('it keeps the time at which its value returned, even if the alarm is changed afterwards', async () => {
  const id = await activate('p4')
  await bring(platform.ctx, [{ assetId: 'p4', value: 70 }])
  const [inactive] = (await ofEntity('p4')).body
  expect(inactive).toMatchObject({ state: 'inactive_unacknowledged', inactiveAt: expect.any(String) })
  const [cleared] = await changeStatuses(platform.ctx.alarms, (tx) =>
    moveStatuses(tx, [{ id, state: 'inactive_unacknowledged' }], {
      event: 'settle',
      reason: 'alarm_changed',
    }),
  )
  expect(cleared!.status).toMatchObject({ state: 'cleared', inactiveAt: inactive.inactiveAt })
  expect(Date.parse(cleared!.status.clearedAt!)).toBeGreaterThan(Date.parse(inactive.inactiveAt))
})

test('an acknowledgement does not change the time at which the value returned', async () => {
  const id = await activate('p5')
  expect((await acknowledge(id)).body).toMatchObject({ state: 'active_acknowledged', inactiveAt: null })
})

test('a return that was measured before the activation, on another node, ends nothing', async () => {
  await activate('p6')
  const { revision } = await alarmRow(platform.ctx, alarmId)
  const returns = (orderMs: number) =>
    changeStatuses(platform.ctx.alarms, (tx) =>
      applyCrossings(tx, [
        {
          tenantId: 'default',
          alarmId,
          revision,
          assetId: 'p6',
          crossing: 'returns',
          value: 70,
          timeMs: orderMs,
          orderMs,
        },
      ]),
    )
  expect(await returns(Date.now() - 60_000)).toEqual([])
  expect(await listStates(platform.ctx, 'p6')).toEqual(['active_unacknowledged'])
  expect(await returns(Date.now() + 1000)).toHaveLength(1)
  expect(await listStates(platform.ctx, 'p6')).toEqual(['inactive_unacknowledged'])
})

test('only callers who may view both the alarm and the asset see it', async () => {
  const branch = await makeOrganization(platform)
  const id = await activate('hidden', { organization: branch })
  const { id: userId, token } = await makeUser(platform)
  const seen = async () =>
    (await platform.get(url, { token })).body.map((s: { alarmStatusId: string }) => s.alarmStatusId)
  await relate(platform, `${userId} viewer asset:hidden`)
  expect(await seen()).toEqual([])
  expect((await ofEntity('hidden', { token })).body).toEqual([])
  expect((await acknowledge(id, { token })).body.details.required).toMatchObject({ resourceType: 'alarm' })
  await relate(platform, `${userId} viewer alarm:${alarmId}`)
  expect(await seen()).toEqual([id])
  expect((await ofEntity('hidden', { token })).body).toHaveLength(1)
  const other = await activate('other')
  expect((await acknowledge(other, { token })).body.details.required).toMatchObject({ resourceType: 'asset' })
  expect((await ofEntity('other', { token })).status).toBe(403)
  expect((await acknowledge(id, { token })).status).toBe(200)
})

test('the list has pages, the newest first', async () => {
  for (const name of ['q1', 'q2', 'q3']) await activate(name)
  const names: string[] = []
  let next: string | undefined = `${url}?limit=2`
  while (next) {
    const answer = await platform.get(next)
    names.push(...answer.body.map((s: { entityId: string }) => s.entityId))
    next = /<(.*)>/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  expect(names.slice(0, 3)).toEqual(['q3', 'q2', 'q1'])
  expect(new Set(names).size).toBe(names.length)
  expect((await platform.get(`${url}?cursor=nonsense`)).status).toBe(400)
})

test('other tenants and invalid requests are refused', async () => {
  const id = await activate('r1')
  const { token } = await platform.makeTenant('statusless')
  expect((await acknowledge(id, { token })).status).toBe(404)
  expect((await ofEntity('r1', { token })).status).toBe(404)
  expect((await platform.get(url, { token })).body).toEqual([])
  expect((await acknowledge(crypto.randomUUID())).status).toBe(404)
  expect((await acknowledge('nonsense')).status).toBe(400)
})
