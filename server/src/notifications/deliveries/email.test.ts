import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { insertActivation, insertAlarm } from '../../../test/harness/alarms.ts'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import { runAllJobs, startTestJobs } from '../../../test/harness/due-jobs.ts'
import { type MailServer, startMailServer } from '../../../test/harness/mail-server.ts'
import {
  emailChannel,
  makeContactGroup,
  makeNotification,
  runNotificationJobs,
} from '../../../test/harness/notifications.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeUser, relate, type TestUser } from '../../../test/harness/users.ts'
import { closeCircuit, recordFailure } from '../../jobs/circuits.ts'
import { receiverName } from '../../jobs/receiver.ts'
import { createMailer } from '../../lib/mail.ts'
import { enqueueNotifications } from '../activate.ts'
import { notificationTasks } from '../tasks.ts'
import { deliver } from './deliver.ts'
import { channelReceiver, DELIVER } from './insert.ts'

let mailServer: MailServer
let platform: Platform
let ann: TestUser
beforeAll(async () => {
  mailServer = await startMailServer()
  platform = await startPlatform({
    GANGWAY_SMTP_URL: mailServer.url,
    GANGWAY_MAIL_FROM: 'Gangway <gangway@example.com>',
    GANGWAY_MAIL_FROM_DOMAINS: 'plant.example, Example.ORG',
    GANGWAY_PUBLIC_URL: 'https://gangway.example',
  })
  await makePumpModel(platform)
  await insertAsset(platform, 'pump')
  ann = await makeUser(platform)
  await relate(platform, `${ann.id} member organization:${platform.organizationId}`)
})
afterEach(() => {
  mailServer.refuses = false
  mailServer.rejects = false
  mailServer.mails.splice(0)
})
afterAll(async () => {
  await platform[Symbol.asyncDispose]()
  await mailServer[Symbol.asyncDispose]()
})

/** A notification to a contact group of these users, for a new alarm. */
async function notificationTo(users: string[], fields: object = {}) {
  const alarmId = await insertAlarm(platform)
  const contactGroupId = await makeContactGroup(platform, { users })
  const subscribers = { contactGroups: [{ contactGroupId }] }
  const id = await makeNotification(platform, alarmId, { subscribers, ...fields })
  return { id, alarmId }
}

async function activate(alarmId: string, fields: Parameters<typeof insertActivation>[3] = {}) {
  const change = await insertActivation(platform, alarmId, 'pump', fields)
  await platform.ctx.db.transaction().execute((tx) => enqueueNotifications(tx, [change]))
  return change
}

/** Runs the jobs of the activation, and none that sends. */
const runNotificationJobsUntilDelivery = async () => {
  const { [DELIVER]: _later, ...tasks } = notificationTasks(platform.ctx)
  await runAllJobs(platform.ctx, tasks)
}

const listDeliveries = async (id: string) => (await platform.get(`/v1/notifications/${id}/deliveries`)).body

test('the activation of an alarm is mailed as text and as HTML [docs/notifications#recipients]', async () => {
  const { id, alarmId } = await notificationTo([ann.id])
  const { status } = await activate(alarmId)
  expect(await runNotificationJobs(platform)).toEqual([])
  const [mail, ...others] = mailServer.mails
  expect(others).toEqual([])
  expect(mail).toMatchObject({ to: [ann.email], from: 'gangway@example.com' })
  expect(mail!.text).toContain('Subject: Alarm: Too hot\r\n')
  expect(mail!.text).toContain('From: Gangway <gangway@example.com>')
  expect(mail!.text).toContain('Too hot on Asset pump: 90.5\r\nAcknowledge: https://gangway.example/ack/')
  expect(mail!.text).toContain('Too hot on Asset pump: 90.5<br>')
  expect(mail!.text).toContain('<a href="https://gangway.example/ack/')
  expect(await listDeliveries(id)).toEqual([
    {
      id: expect.any(String),
      alarmStatusId: status.alarmStatusId,
      alarmId,
      assetId: 'pump',
      userId: ann.id,
      userName: ann.email,
      channel: 'email',
      address: ann.email,
      state: 'sent',
      reason: null,
      message: null,
      attempts: 1,
      createdAt: expect.any(String),
      lastAttemptAt: expect.any(String),
      sentAt: expect.any(String),
      pausedUntil: null,
      subject: 'Alarm: Too hot',
      // The link belongs to another user.
      body: 'Too hot on Asset pump: 90.5\nAcknowledge: https://gangway.example/ack/…',
    },
  ])
})

test('a recipient who may manage the notification sees their own link', async () => {
  const { id, alarmId } = await notificationTo([ann.id])
  await relate(platform, `${ann.id} manager notification:${id}`)
  await activate(alarmId)
  await runNotificationJobs(platform)
  const own = (await platform.get(`/v1/notifications/${id}/deliveries`, { token: ann.token })).body[0].body
  expect(own).toMatch(/https:\/\/gangway\.example\/ack\/[\w-]{100,160}$/)
})

test('a repeated job notifies nobody twice, and a new activation notifies again', async () => {
  const { id, alarmId } = await notificationTo([ann.id])
  const first = await activate(alarmId)
  await platform.ctx.db.transaction().execute((tx) => enqueueNotifications(tx, [first, first]))
  await runNotificationJobs(platform)
  expect(mailServer.mails).toHaveLength(1)
  const [{ id: deliveryId }] = await listDeliveries(id)
  await deliver(platform.ctx, deliveryId)
  expect(mailServer.mails).toHaveLength(1)
  await platform.ctx.db.updateTable('alarm_statuses').set({ state: 'cleared' }).execute()
  await activate(alarmId)
  await runNotificationJobs(platform)
  expect(mailServer.mails).toHaveLength(2)
})

test('after a crash between sending and recording it, the same mail is sent once more', async () => {
  const { id, alarmId } = await notificationTo([ann.id])
  await activate(alarmId)
  await runNotificationJobs(platform)
  const [{ id: deliveryId }] = await listDeliveries(id)
  const forgotten = { state: 'queued' as const, attempts: 0, sent_at: null }
  await platform.ctx.db
    .updateTable('notification_deliveries')
    .set(forgotten)
    .where('id', '=', deliveryId)
    .execute()
  await deliver(platform.ctx, deliveryId)
  await deliver(platform.ctx, deliveryId)
  const ids = mailServer.mails.map(({ text }) => /^Message-ID: (.*)\r$/m.exec(text)![1])
  expect(ids).toEqual([`<${deliveryId}@gangway>`, `<${deliveryId}@gangway>`])
})

test('nothing is sent if the alarm was not stored, did not activate, or has no recipient', async () => {
  const { alarmId } = await notificationTo([ann.id])
  const { ctx } = platform
  const change = await insertActivation(platform, alarmId, 'pump')
  const enqueue = ctx.db.transaction().execute(async (tx) => {
    await enqueueNotifications(tx, [change])
    throw new Error('taken back')
  })
  await expect(enqueue).rejects.toThrow('taken back')
  await enqueueNotifications(ctx.db, [{ ...change, isActivation: false }])
  await enqueueNotifications(ctx.db, [])
  const unnamed = await insertAlarm(platform)
  await enqueueNotifications(ctx.db, [await insertActivation(platform, unnamed, 'pump')])
  const { rows } = await ctx.pool.query('select from graphile_worker.jobs')
  expect(rows).toEqual([])
})

test('names are not interpreted as HTML or headers', async () => {
  const template = '<p>{{assetName}}</p><a href="{{ackUrl}}">Acknowledge</a>'
  const channels = {
    email: {
      ...emailChannel.email,
      template,
      subject: '{{assetName}} {{alarmName}}',
      from: 'Alarms <a@example.com>',
    },
  }
  const { alarmId } = await notificationTo([ann.id], { channels })
  await activate(alarmId, { assetName: '<img src=x>\r\nBcc: eve@example.com', alarmName: '{{ackUrl}}' })
  await runNotificationJobs(platform)
  const [mail] = mailServer.mails
  expect(mail).toMatchObject({ to: [ann.email], from: 'gangway@example.com' })
  expect(mail!.text).toContain('Reply-To: Alarms <a@example.com>')
  expect(mail!.text).toContain('<p>&lt;img src=x&gt;')
  expect(mail!.text).not.toMatch(/^Bcc:/im)
  expect(mail!.text).toMatch(/^Subject: <img src=x> Bcc: eve@example.com \{\{ackUrl\}\}\r$/m)
  expect(mail!.text).toMatch(/Acknowledge \(https:\/\/gangway\.example\/ack\/[\w-]+\)/)
})

test.each([
  ['Pump hall', 'Pump hall <gangway@example.com>', undefined],
  ['ops@plant.example', 'ops@plant.example', undefined],
  ['Ops <ops@EXAMPLE.org>', 'Ops <ops@example.org>', undefined],
  ['gangway@example.com', 'gangway@example.com', undefined],
  ['Boss <boss@example.com>', 'Boss <gangway@example.com>', 'Boss <boss@example.com>'],
  ['ceo@bank.example', 'Gangway <gangway@example.com>', 'ceo@bank.example'],
  ['x@plant.example.evil.example', 'Gangway <gangway@example.com>', 'x@plant.example.evil.example'],
])(
  'a mail from "%s" is sent from %s: an address of another domain is used only as Reply-To',
  async (sender, from, replyTo) => {
    const channels = { email: { ...emailChannel.email, from: sender } }
    const { alarmId } = await notificationTo([ann.id], { channels })
    await activate(alarmId)
    await runNotificationJobs(platform)
    const [mail] = mailServer.mails
    expect(mail!.text).toContain(`From: ${from}\r\n`)
    expect(/^Reply-To: (.*)\r$/m.exec(mail!.text)?.[1]).toBe(replyTo)
  },
)

test('a delivery is retried while the mail server is down, and the mail arrives once', async () => {
  const { id, alarmId } = await notificationTo([ann.id])
  mailServer.refuses = true
  await activate(alarmId)
  expect(await runNotificationJobs(platform)).toMatchObject([{ reason: 'mail_server_unavailable' }])
  expect(await listDeliveries(id)).toMatchObject([
    { state: 'queued', attempts: 1, reason: 'mail_server_unavailable', sentAt: null },
  ])
  mailServer.refuses = false
  expect(await runNotificationJobs(platform)).toEqual([])
  expect(await listDeliveries(id)).toMatchObject([
    { state: 'sent', attempts: 2, reason: null, message: null },
  ])
  expect(mailServer.mails).toHaveLength(1)
})

test('after the last try it is failed, with the reason', async () => {
  const { id, alarmId } = await notificationTo([ann.id])
  mailServer.refuses = true
  await activate(alarmId)
  for (let attempt = 1; attempt < 14; attempt++) expect(await runNotificationJobs(platform)).toHaveLength(1)
  expect(await runNotificationJobs(platform)).toEqual([])
  expect(await listDeliveries(id)).toMatchObject([
    { state: 'failed', attempts: 14, reason: 'mail_server_unavailable' },
  ])
})

test('with a wrong SMTP password no mail is lost: it is sent once the password is right', async () => {
  let isRight = false
  await using server = await startMailServer({ authorize: () => isRight })
  const url = server.url.replace('smtp://', 'smtp://gangway:secret@')
  const mailer = createMailer({ smtpUrl: url, mailFrom: 'gangway@example.com' }, platform.ctx.log)
  const { id, alarmId } = await notificationTo([ann.id])
  await activate(alarmId)
  const withMailer = { ...platform, ctx: { ...platform.ctx, mailer } }
  expect(await runNotificationJobs(withMailer)).toMatchObject([
    { reason: 'mail_server_unavailable', isAnswered: false },
  ])
  expect(await listDeliveries(id)).toMatchObject([
    { state: 'queued', attempts: 1, reason: 'mail_server_unavailable' },
  ])
  isRight = true
  expect(await runNotificationJobs(withMailer)).toEqual([])
  expect(await listDeliveries(id)).toMatchObject([{ state: 'sent', attempts: 2 }])
  expect(server.mails).toHaveLength(1)
})

test('while the mail server does not answer, waiting deliveries show the time of the next try', async () => {
  const { id, alarmId } = await notificationTo([ann.id])
  await activate(alarmId)
  const { db, pool } = platform.ctx
  await runNotificationJobsUntilDelivery()
  const name = receiverName(channelReceiver('email', 'default'))
  for (let failure = 0; failure < 3; failure++) await recordFailure(db, name, 'could not be reached')
  expect(await listDeliveries(id)).toMatchObject([
    { state: 'queued', attempts: 0, message: 'could not be reached', pausedUntil: expect.any(String) },
  ])
  expect((await pool.query('select from graphile_worker.jobs where run_at > now()')).rowCount).toBe(1)
  await closeCircuit(db, name)
  expect((await pool.query('select from graphile_worker.jobs where run_at > now()')).rowCount).toBe(0)
  expect(await runNotificationJobs(platform)).toEqual([])
})

test('an address that the server refuses permanently is not tried again', async () => {
  const { id, alarmId } = await notificationTo([ann.id])
  mailServer.rejects = true
  await activate(alarmId)
  expect(await runNotificationJobs(platform)).toEqual([])
  mailServer.rejects = false
  expect(await listDeliveries(id)).toMatchObject([
    {
      state: 'failed',
      attempts: 1,
      reason: 'mail_server_refused',
      message: expect.stringContaining('no such user'),
    },
  ])
})

test('a user who is disabled or deleted meanwhile receives nothing', async () => {
  const [bob, eve] = [await makeUser(platform), await makeUser(platform)]
  for (const { id } of [bob, eve])
    await relate(platform, `${id} member organization:${platform.organizationId}`)
  const { id, alarmId } = await notificationTo([bob.id, eve.id])
  mailServer.refuses = true
  await activate(alarmId)
  expect(await runNotificationJobs(platform)).toHaveLength(2)
  mailServer.refuses = false
  await platform.patch(`/v1/users/${bob.id}`, { disabled: true })
  await platform.delete(`/v1/users/${eve.id}`)
  expect(await runNotificationJobs(platform)).toEqual([])
  expect(mailServer.mails).toEqual([])
  expect(await listDeliveries(id)).toMatchObject([
    { userId: bob.id, state: 'skipped', reason: 'user_disabled' },
  ])
})

test('deliveries have pages, and only those of the notification', async () => {
  const users = [ann, await makeUser(platform), await makeUser(platform)]
  const { id, alarmId } = await notificationTo(users.map((user) => user.id))
  await activate(alarmId)
  await runNotificationJobs(platform)
  const seen: string[] = []
  for (let path: string | undefined = `/v1/notifications/${id}/deliveries?limit=2`; path;) {
    const { body, headers } = await platform.get(path)
    seen.push(...body.map((one: { userId: string }) => one.userId))
    path = /<(.*)>/.exec(headers.get('link') ?? '')?.[1]
  }
  expect(seen.toSorted()).toEqual(users.map((user) => user.id).toSorted())
  const other = await notificationTo([ann.id])
  expect(await listDeliveries(other.id)).toEqual([])
  expect((await platform.get(`/v1/notifications/${id}/deliveries?cursor=x`)).body.error).toBe(
    'validation_error',
  )
})

test('the worker runs every job from the activation to the mail', async () => {
  const { alarmId } = await notificationTo([ann.id])
  const jobs = await startTestJobs(platform.ctx, notificationTasks(platform.ctx))
  try {
    await activate(alarmId)
    await expect.poll(() => mailServer.mails.length).toBe(1)
  } finally {
    await jobs[Symbol.asyncDispose]()
  }
})

test('a delivery that did not arrive is sent again, to the present address, by those who manage it [docs/notifications#deliveries]', async () => {
  const bob = await makeUser(platform)
  await relate(platform, `${bob.id} member organization:${platform.organizationId}`)
  const { id, alarmId } = await notificationTo([bob.id])
  await activate(alarmId)
  mailServer.rejects = true
  await runNotificationJobs(platform)
  mailServer.rejects = false
  const [delivery] = await listDeliveries(id)
  const retry = (options = {}) =>
    platform.post(`/v1/notifications/${id}/deliveries/${delivery.id}/retry`, undefined, options)
  expect(delivery.state).toBe('failed')
  expect((await retry({ token: bob.token })).status).toBe(403)
  await platform.ctx.db
    .updateTable('users')
    .set({ email: 'moved@example.com' })
    .where('id', '=', bob.id)
    .execute()
  const { status, body } = await retry()
  expect([status, body.state, body.address, body.reason]).toEqual([200, 'queued', 'moved@example.com', null])
  expect((await retry()).body).toMatchObject({ error: 'conflict', details: { state: 'queued' } })
  await runNotificationJobs(platform)
  expect(mailServer.mails).toHaveLength(1)
  expect(await listDeliveries(id)).toMatchObject([
    { state: 'sent', attempts: 1, address: 'moved@example.com' },
  ])
  expect((await retry()).body).toMatchObject({ error: 'conflict', details: { state: 'sent' } })
  const log = (await platform.get(`/v1/audit-log?resourceId=${delivery.id}`)).body
  expect(log.map(({ action }: { action: string }) => action)).toEqual(['retry'])
  await platform.ctx.db
    .updateTable('users')
    .set({ disabled_at: new Date() })
    .where('id', '=', bob.id)
    .execute()
  expect((await retry()).body).toMatchObject({ error: 'conflict', details: { reason: 'user_disabled' } })
})

test('a test message goes to the caller only [docs/notifications#test-message]', async () => {
  const { id } = await notificationTo([ann.id])
  const send = (channel: string) => platform.post(`/v1/notifications/${id}/test`, { channel })
  const { status, body } = await send('email')
  expect(status).toBe(200)
  expect(body).toMatchObject({ channel: 'email', state: 'sent', reason: null, message: null })
  expect(body.body).not.toMatch(/\/ack\/[\w-]{20}/)
  expect(mailServer.mails).toHaveLength(1)
  expect(await listDeliveries(id)).toEqual([])
  mailServer.rejects = true
  expect((await send('email')).body).toMatchObject({ state: 'failed', reason: 'mail_server_refused' })
  expect((await send('sms')).body).toMatchObject({
    state: 'failed',
    reason: 'no_phone_number',
    address: null,
  })
  expect((await send('pigeon')).status).toBe(400)
})
