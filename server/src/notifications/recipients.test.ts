import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertActivation, insertAlarm } from '../../test/harness/alarms.ts'
import { insertAsset, makePumpModel } from '../../test/harness/assets.ts'
import { makeContactGroup, makeNotification } from '../../test/harness/notifications.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../test/harness/users.ts'
import { newId } from '../lib/ids.ts'
import { enqueueNotifications, notifyOfActivation } from './activate.ts'
import { listCandidates } from './candidates.ts'

let platform: Platform
let organizationId: string
beforeAll(async () => {
  // Nothing listens there, since these tests send nothing.
  platform = await startPlatform({
    GANGWAY_SMTP_URL: 'smtp://127.0.0.1:1',
    GANGWAY_MAIL_FROM: 'gangway@example.com',
  })
  organizationId = platform.organizationId
  await makePumpModel(platform)
  await insertAsset(platform, 'pump')
})
afterAll(() => platform[Symbol.asyncDispose]())

interface Shown {
  userId: string
  receives: boolean
  reason: string | null
}
const listRecipients = async (id: string, alarmId: string, assetId = 'pump'): Promise<Shown[]> => {
  const { status, body } = await platform.get(
    `/v1/notifications/${id}/recipients?assetId=${assetId}&alarmId=${alarmId}`,
  )
  expect(status).toBe(200)
  return body
}
/** User ids → `gets it`, or the reason why not. */
const listAnswers = async (...args: Parameters<typeof listRecipients>) =>
  Object.fromEntries(
    (await listRecipients(...args)).map(({ userId, receives, reason }) => [
      userId,
      receives ? 'gets it' : reason,
    ]),
  )
const to = (contactGroupId: string, fields: object = {}) => ({
  subscribers: { contactGroups: [{ contactGroupId }] },
  ...fields,
})
/** An owner of the tenant is one of the users of its root organization. */
let administratorId: string
beforeAll(async () => {
  administratorId = (await platform.get('/v1/auth/me')).body.id
})
/** A user with a relation to the root organization. */
async function userWho(relation?: string) {
  const { id } = await makeUser(platform)
  if (relation) await relate(platform, `${id} ${relation} organization:${organizationId}`)
  return id
}
const makeGroup = async () => (await platform.post('/v1/groups', { displayName: 'G' })).body.id as string

test('access to the asset, the alarm and the notification is needed [docs/notifications#recipients]', async () => {
  const [branch, asset, alarmId] = [
    await makeOrganization(platform),
    `pump-${newId()}`,
    await insertAlarm(platform),
  ]
  await insertAsset(platform, asset, { organization: branch })
  const [nobody, member, onlyAsset, onlyAlarm, everything] = [
    await userWho(),
    await userWho('member'),
    await userWho(),
    await userWho(),
    await userWho('viewer'),
  ]
  const contactGroupId = await makeContactGroup(platform, {
    users: [nobody, member, onlyAsset, onlyAlarm, everything],
  })
  const id = await makeNotification(platform, alarmId, to(contactGroupId))
  await relate(platform, `${onlyAsset} member organization:${branch}`)
  await relate(platform, `${onlyAlarm} member organization:${branch}`)
  await relate(platform, `${onlyAlarm} viewer alarm:${alarmId}`)
  expect(await listAnswers(id, alarmId, asset)).toEqual({
    [nobody]: 'no_access_to_asset',
    [member]: 'no_access_to_asset',
    [onlyAsset]: 'no_access_to_alarm',
    [onlyAlarm]: 'no_access_to_notification',
    [everything]: 'gets it',
    [administratorId]: 'not_subscribed',
  })

  // The deliveries match the list, and users who were left out are recorded with the reason.
  const change = await insertActivation(platform, alarmId, asset)
  await notifyOfActivation(platform.ctx, { tenantId: 'default', alarmStatusId: change.status.alarmStatusId })
  const deliveries = (await platform.get(`/v1/notifications/${id}/deliveries`)).body
  expect(
    Object.fromEntries(
      deliveries.map((one: { userId: string; state: string; reason: string }) => [
        one.userId,
        one.reason ?? one.state,
      ]),
    ),
  ).toEqual({
    [nobody]: 'no_access_to_asset',
    [member]: 'no_access_to_asset',
    [onlyAsset]: 'no_access_to_alarm',
    [onlyAlarm]: 'no_access_to_notification',
    [everything]: 'queued',
  })
})

test('a user is notified once, however often they are named', async () => {
  const user = await userWho('member')
  const group = await makeGroup()
  await relate(platform, `${user} member group:${group}`)
  const fields = { users: [user], userGroups: [group] }
  const [first, second] = [await makeContactGroup(platform, fields), await makeContactGroup(platform, fields)]
  const alarmId = await insertAlarm(platform)
  const contactGroups = [{ contactGroupId: first }, { contactGroupId: second }]
  const id = await makeNotification(platform, alarmId, { broadcast: true, subscribers: { contactGroups } })
  expect((await listRecipients(id, alarmId)).filter(({ userId }) => userId === user)).toHaveLength(1)
  const { status } = await insertActivation(platform, alarmId, 'pump')
  const activation = { tenantId: 'default', alarmStatusId: status.alarmStatusId }
  await Promise.all([
    notifyOfActivation(platform.ctx, activation),
    notifyOfActivation(platform.ctx, activation),
  ])
  const deliveries = (await platform.get(`/v1/notifications/${id}/deliveries`)).body
  expect(deliveries.filter(({ userId }: Shown) => userId === user)).toHaveLength(1)
})

test('a notification that fails does not prevent another', async () => {
  const alarmId = await insertAlarm(platform)
  const broken = await makeNotification(platform, alarmId, { broadcast: true })
  const whole = await makeNotification(platform, alarmId, { broadcast: true })
  await sql`update notifications set channels = '{"email": {"active": true}, "sms": {"active": false}}'
    where id = ${broken}`.execute(platform.ctx.db)
  const { status } = await insertActivation(platform, alarmId, 'pump')
  const activation = { tenantId: 'default', alarmStatusId: status.alarmStatusId }
  await expect(notifyOfActivation(platform.ctx, activation)).rejects.toThrow('not-null')
  const listDeliveries = async (id: string) => (await platform.get(`/v1/notifications/${id}/deliveries`)).body
  expect(await listDeliveries(broken)).toEqual([])
  expect(await listDeliveries(whole)).not.toEqual([])
})

test('members of a user group are notified, managers who are no members are not', async () => {
  const [member, manager, group] = [await userWho('viewer'), await userWho('viewer'), await makeGroup()]
  await relate(platform, `${member} member group:${group}`)
  await relate(platform, `${manager} manager group:${group}`)
  const alarmId = await insertAlarm(platform)
  const id = await makeNotification(
    platform,
    alarmId,
    to(await makeContactGroup(platform, { userGroups: [group] })),
  )
  const answers = await listAnswers(id, alarmId)
  expect(answers[member]).toBe('gets it')
  expect(answers).not.toHaveProperty(manager)
  await platform.delete(`/v1/groups/${group}`)
  expect(await listAnswers(id, alarmId)).not.toHaveProperty(member)
})

test('a broadcast notifies the members of its organization, directly and by groups, and nobody else', async () => {
  const branch = await makeOrganization(platform)
  const [asset, group] = [`pump-${newId()}`, await makeGroup()]
  await insertAsset(platform, asset, { organization: branch })
  const alarmId = await insertAlarm(platform, { organization: branch })
  const inBranch = async (relation: string) => {
    const { id } = await makeUser(platform)
    await relate(platform, `${id} ${relation} organization:${branch}`)
    return id
  }
  const [member, owner, viewer, disabled] = [
    await inBranch('member'),
    await inBranch('owner'),
    await inBranch('viewer'),
    await inBranch('member'),
  ]
  const { id: inGroup } = await makeUser(platform)
  await relate(platform, `${inGroup} member group:${group}`)
  await relate(platform, `group:${group} member organization:${branch}`)
  await platform.patch(`/v1/users/${disabled}`, { disabled: true })
  const fields = { organizationId: branch, broadcast: true }
  const id = await makeNotification(platform, alarmId, fields)
  expect(await listAnswers(id, alarmId, asset)).toEqual({
    [member]: 'gets it',
    [owner]: 'gets it',
    [inGroup]: 'gets it',
    [disabled]: 'user_disabled',
  })
  expect(await listAnswers(id, alarmId, asset)).not.toHaveProperty(viewer)
  await platform.patch(`/v1/notifications/${id}`, { broadcast: false })
  const answers = await listAnswers(id, alarmId, asset)
  expect(Object.values(answers)).toEqual(Object.values(answers).map(() => 'not_subscribed'))
})

test('each channel has the reason why it does not reach a user', async () => {
  const user = await userWho('viewer')
  const contactGroupId = await makeContactGroup(platform, { users: [user] })
  const alarmId = await insertAlarm(platform)
  const sms = { active: true, template: 'x', from: '' }
  const id = await makeNotification(platform, alarmId, to(contactGroupId, { channels: { sms } }))
  const of = async (path = alarmId) => (await listRecipients(id, path)).find(({ userId }) => userId === user)
  expect(await of()).toMatchObject({ receives: false, reason: 'no_phone_number' })
  await platform.patch(`/v1/users/${user}`, { phoneNumber: '+491701234567' })
  expect(await of()).toMatchObject({
    reason: 'not_configured',
    channels: [{ channel: 'sms', address: '+491701234567', receives: false, reason: 'not_configured' }],
  })
  await platform.patch(`/v1/notifications/${id}`, {
    channels: { email: { active: true, template: 'x' } },
  })
  expect(await of()).toMatchObject({ receives: true, reason: null, channels: [{ channel: 'email' }, {}] })
  await platform.patch(`/v1/notifications/${id}`, {
    channels: { email: { active: false }, sms: { active: false } },
  })
  expect(await of()).toMatchObject({ reason: 'no_active_channel', channels: [] })
  expect(await of(await insertAlarm(platform))).toMatchObject({ reason: 'alarm_not_in_trigger' })
})

test('listing recipients needs view on the asset and the alarm', async () => {
  const alarmId = await insertAlarm(platform)
  const url = `/v1/notifications/${await makeNotification(platform, alarmId)}/recipients`
  expect((await platform.get(url)).body.error).toBe('validation_error')
  expect((await platform.get(`${url}?assetId=none&alarmId=${alarmId}`)).status).toBe(404)
  expect((await platform.get(`${url}?assetId=pump&alarmId=${newId()}`)).status).toBe(404)
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} notification_manager organization:${organizationId}`)
  expect((await platform.get(`${url}?assetId=pump&alarmId=${alarmId}`, { token })).status).toBe(403)
})

test('10,000 users of a contact group are each notified once', async () => {
  const branch = await makeOrganization(platform)
  const ids = Array.from({ length: 10_000 }, newId).toSorted()
  await platform.ctx.pool.query(
    `with made as (
       insert into users (id, tenant_id, display_name, email)
       select id, 'default', id::text, id || '@example.com' from unnest($1::uuid[]) id returning id::text
     )
     insert into relations (tenant_id, subject_type, subject_id, resource_type, resource_id, relation)
     select 'default', 'user', id, 'organization', $2, 'member' from made
     union all select 'default', 'tenant', 'default', 'user', id, 'parent' from made`,
    [ids, branch],
  )
  const asset = `pump-${newId()}`
  await insertAsset(platform, asset, { organization: branch })
  const alarmId = await insertAlarm(platform, { organization: branch })
  const contactGroupId = await makeContactGroup(platform, { organizationId: branch, users: ids })
  const id = await makeNotification(platform, alarmId, to(contactGroupId, { organizationId: branch }))

  const pages: Shown[] = []
  let path: string | undefined =
    `/v1/notifications/${id}/recipients?assetId=${asset}&alarmId=${alarmId}&limit=1000`
  for (let page = 0; page < 2 && path; page++) {
    const { body, headers } = await platform.get(path)
    pages.push(...body)
    path = /<(.*)>/.exec(headers.get('link') ?? '')?.[1]
  }
  expect(pages.map(({ userId }) => userId)).toEqual(ids.slice(0, 2000))
  expect(pages.every(({ receives }) => receives)).toBe(true)

  const change = await insertActivation(platform, alarmId, asset)
  await enqueueNotifications(platform.ctx.db, [change])
  const activation = { tenantId: 'default', alarmStatusId: change.status.alarmStatusId }
  await using worker = await listenForJobs()
  await notifyOfActivation(platform.ctx, activation)
  await expect.poll(() => worker.messages).toHaveLength(1)
  // The worst plan that the database may choose without statistics finds them as well.
  await platform.ctx.db.transaction().execute(async (tx) => {
    await sql`set local enable_hashjoin = off`.execute(tx)
    await sql`set local enable_mergejoin = off`.execute(tx)
    const candidates = await listCandidates(tx, { id, tenant_id: 'default', organization_id: branch })
    expect(candidates.map(({ userId }) => userId)).toEqual(ids)
  })
  // A single call adds all jobs, in a tenth of the time of 10,000 calls.
  expect(JSON.parse(worker.messages[0]!)).toMatchObject({ count: 10_000 })
  await notifyOfActivation(platform.ctx, activation)
  const { rows } = await platform.ctx.pool.query(
    `select count(*)::int as deliveries, count(distinct d.user_id)::int as users,
       (select count(*)::int from graphile_worker.jobs where task_identifier = 'deliver-notification'
          and priority = 1) as jobs
     from notification_deliveries d join notification_messages m on m.id = d.message_id
     where m.notification_id = $1 and d.state = 'queued'`,
    [id],
  )
  expect(rows[0]).toMatchObject({ deliveries: 10_000, users: 10_000 })
  expect(rows[0].jobs).toBeGreaterThanOrEqual(10_000)
})

/** Records the notifications to workers about new jobs, one for each call that adds jobs. */
async function listenForJobs() {
  const client = await platform.ctx.pool.connect()
  const messages: string[] = []
  client.on('notification', ({ payload }) => void messages.push(payload!))
  await client.query('listen "jobs:insert"')
  return { messages, [Symbol.asyncDispose]: async () => client.release(true) }
}
