import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAlarm } from '../../test/harness/alarms.ts'
import { listAuditActions } from '../../test/harness/audit.ts'
import { emailChannel, makeContactGroup } from '../../test/harness/notifications.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../test/harness/users.ts'
import { newId } from '../lib/ids.ts'

let platform: Platform
let alarmId: string
beforeAll(async () => {
  platform = await startPlatform()
  alarmId = await insertAlarm(platform, { entityTypeId: null })
})
afterAll(() => platform[Symbol.asyncDispose]())

const url = '/v1/notifications'
const create = (fields: object = {}, options = {}) =>
  platform.post(
    url,
    {
      displayName: 'N',
      organizationId: platform.organizationId,
      trigger: { alarmTrigger: [alarmId] },
      broadcast: true,
      channels: emailChannel,
      ...fields,
    },
    options,
  )
const createIssues = async (fields: object) => (await create(fields)).body.details?.issues
const email = (fields: object) => ({ channels: { email: { ...emailChannel.email, ...fields } } })
const sms = (fields: object) => ({ channels: { sms: { active: true, template: 'x', from: '', ...fields } } })

test('creates, reads, changes and deletes a notification [docs/notifications#fields]', async () => {
  const { status, body } = await create()
  expect(status).toBe(201)
  expect(body).toEqual({
    id: body.id,
    displayName: 'N',
    description: null,
    trigger: { alarmTrigger: [alarmId] },
    broadcast: true,
    channels: { ...emailChannel, sms: { active: false, template: '', from: '' } },
    organizationId: platform.organizationId,
    subscribers: { contactGroups: [] },
    workflowId: expect.any(String),
    triggerIdentifier: expect.any(String),
  })
  const one = `${url}/${body.id}`
  expect((await platform.get(one)).body).toEqual(body)
  expect((await platform.get(url)).body).toEqual([body])
  const contactGroupId = await makeContactGroup(platform, {})
  const changed = {
    ...body,
    description: 'Night',
    broadcast: false,
    trigger: { alarmTrigger: [] },
    channels: { ...body.channels, email: { ...body.channels.email, active: false } },
    subscribers: { contactGroups: [{ contactGroupId }] },
  }
  const { description, broadcast, trigger, subscribers } = changed
  const changes = {
    description,
    broadcast,
    trigger,
    subscribers,
    channels: { email: { active: false } },
    workflowId: 'mine',
  }
  expect((await platform.patch(one, changes)).body).toEqual(changed)
  expect((await platform.patch(one, {})).body).toEqual(changed)
  expect((await platform.delete(one)).status).toBe(204)
  expect((await platform.get(one)).status).toBe(404)
  expect(await listAuditActions(platform, body.id)).toEqual(['delete', 'update', 'update', 'create'])
})

test('subscribers are added and removed one by one', async () => {
  const [first, second] = [await makeContactGroup(platform, {}), await makeContactGroup(platform, {})]
  const { id } = (await create()).body
  const subscribers = `${url}/${id}/subscribers`
  const answers = await Promise.all(
    [first, second].map((contactGroupId) => platform.post(subscribers, { contactGroupId })),
  )
  expect(answers.map(({ status }) => status)).toEqual([201, 201])
  expect((await platform.post(subscribers, { contactGroupId: first })).status).toBe(200)
  expect((await platform.get(`${url}/${id}`)).body.subscribers.contactGroups).toHaveLength(2)
  expect((await platform.delete(`${subscribers}/${first}`)).status).toBe(204)
  expect((await platform.delete(`${subscribers}/${first}`)).status).toBe(404)
  expect((await platform.post(subscribers, { contactGroupId: newId() })).body.error).toBe('validation_error')
  expect((await platform.post(subscribers, {})).body.error).toBe('validation_error')
  expect((await platform.delete(`/v1/contactgroups/${second}`)).status).toBe(204)
  expect((await platform.get(`${url}/${id}`)).body.subscribers).toEqual({ contactGroups: [] })
})

test('a deleted alarm no longer triggers it', async () => {
  const gone = await insertAlarm(platform, { entityTypeId: null })
  const { id } = (await create({ trigger: { alarmTrigger: [gone, alarmId] } })).body
  await platform.ctx.db.deleteFrom('alarms').where('id', '=', gone).execute()
  expect((await platform.get(`${url}/${id}`)).body.trigger).toEqual({ alarmTrigger: [alarmId] })
})

test.each([
  ['no name', { displayName: undefined }],
  ['no trigger', { trigger: undefined }],
  ['no broadcast', { broadcast: undefined }],
  ['no channels', { channels: undefined }],
  ['broadcast as text', { broadcast: 'true' }],
  ['a trigger that is not an id', { trigger: { alarmTrigger: ['x'] } }],
  ['too many alarms', { trigger: { alarmTrigger: Array.from({ length: 1001 }, newId) } }],
  ['an unknown contact group', { subscribers: { contactGroups: [{ contactGroupId: newId() }] } }],
  ['a template that is too large', email({ template: 'x'.repeat(65_537) })],
  ['an SMS that is too long', sms({ template: 'x'.repeat(1601) })],
  ['active as text', email({ active: 'true' })],
])('%s is refused', async (_what, fields) => {
  expect((await create(fields)).body.error).toBe('validation_error')
})

test('an alarm that does not exist, or that the caller may not view, is refused by name', async () => {
  const [branch, other] = [await makeOrganization(platform), await makeOrganization(platform)]
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} notification_manager organization:${branch}`)
  await relate(platform, `${id} viewer organization:${branch}`)
  const [mine, theirs, none] = [
    await insertAlarm(platform, { entityTypeId: null, organization: branch }),
    await insertAlarm(platform, { entityTypeId: null, organization: other }),
    newId(),
  ]
  const of = (...alarmTrigger: string[]) =>
    create({ organizationId: branch, trigger: { alarmTrigger } }, { token })
  for (const wrong of [theirs, none]) {
    const { body } = await of(mine, wrong)
    expect(body.details.issues).toEqual([
      { path: 'trigger.alarmTrigger', message: expect.stringContaining(wrong) },
    ])
    expect(body.message).not.toContain(mine)
  }
  const { body } = await of(mine)
  const one = `${url}/${body.id}`
  // Alarms that another user added may stay.
  await platform.patch(one, { trigger: { alarmTrigger: [mine, theirs] } })
  expect((await platform.patch(one, { trigger: { alarmTrigger: [theirs] } }, { token })).status).toBe(200)
})

test.each([
  ['an unknown variable', email({ template: 'Hi {{userName}}' }), 'channels.email.template'],
  ['an unknown variable in a subject', email({ subject: '{{ assetname }}' }), 'channels.email.subject'],
  ['an unknown variable in an SMS', sms({ template: '{{}}' }), 'channels.sms.template'],
  ['braces that are not closed', email({ template: 'Hi {{alarmName' }), 'channels.email.template'],
  ['an empty template while active', email({ template: ' \n' }), 'channels.email.template'],
  ['an empty SMS while active', sms({ template: '' }), 'channels.sms.template'],
  ['a subject of two lines', email({ subject: 'a\r\nBcc: x@example.com' }), 'channels.email.subject'],
  ['a sender of two lines', email({ from: 'a@example.com\r\nBcc: x@example.com' }), 'channels.email.from'],
  ['two senders', email({ from: 'a@example.com, b@example.com' }), 'channels.email.from'],
  ['an invalid sender', email({ from: 'Nobody <nobody>' }), 'channels.email.from'],
  ['an SMS sender that is too long', sms({ from: 'Twelve chars' }), 'channels.sms.from'],
  ['an SMS sender with a line break', sms({ from: 'Gangway\n' }), 'channels.sms.from'],
  ['an SMS sender that is not a number', sms({ from: '+0170' }), 'channels.sms.from'],
])('%s is refused with its path [docs/notifications#fields]', async (_what, fields, path) => {
  expect(await createIssues(fields)).toEqual([{ path, message: expect.any(String) }])
})

test.each([
  email({ template: '{{ alarmName }} {{assetName}} {{ackUrl}} {{severity}} {{value}} {{time}} { } }}' }),
  email({ from: 'Gangway, the platform <alarms@example.com>' }),
  email({ from: 'alarms@example.com', active: false, template: '' }),
  sms({ from: '+491701234567' }),
  sms({ from: 'Gangway' }),
  sms({ from: '12345' }),
])('valid channels are stored unchanged', async (fields) => {
  const { status, body } = await create(fields)
  expect(status).toBe(201)
  expect(body.channels).toMatchObject(fields.channels)
})

test('a change is validated together with the unchanged fields', async () => {
  const { id } = (await create(sms({ active: false, template: '' }))).body
  const answer = await platform.patch(`${url}/${id}`, { channels: { sms: { active: true } } })
  expect(answer.body.details.issues).toMatchObject([{ path: 'channels.sms.template' }])
})

test('creating needs notification_management in the organization; its members may only view it', async () => {
  const branch = await makeOrganization(platform)
  const [manager, member] = [await makeUser(platform), await makeUser(platform)]
  const fields = { organizationId: branch, trigger: { alarmTrigger: [] } }
  expect((await create(fields, { token: manager.token })).status).toBe(403)
  await relate(platform, `${manager.id} notification_manager organization:${branch}`)
  await relate(platform, `${member.id} member organization:${branch}`)
  const { status, body } = await create(fields, { token: manager.token })
  expect(status).toBe(201)
  expect((await create({}, { token: manager.token })).status).toBe(403)
  const one = `${url}/${body.id}`
  const { token } = member
  expect((await platform.get(url, { token })).body).toEqual([body])
  // They contain addresses of other users.
  expect((await platform.get(`${one}/deliveries`, { token })).status).toBe(403)
  expect((await platform.patch(one, {}, { token })).status).toBe(403)
  expect((await platform.delete(one, { token })).status).toBe(403)
  expect((await platform.delete(one, { token: manager.token })).status).toBe(204)
})
