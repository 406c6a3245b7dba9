import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { insertActivation, insertAlarm } from '../../../test/harness/alarms.ts'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import {
  emailChannel,
  makeContactGroup,
  makeNotification,
  runNotificationJobs,
} from '../../../test/harness/notifications.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { type SmsGateway, startSmsGateway } from '../../../test/harness/sms-gateway.ts'
import { makeUser, relate } from '../../../test/harness/users.ts'
import { enqueueNotifications } from '../activate.ts'

let gateway: SmsGateway
let platform: Platform
let alarmId: string
beforeAll(async () => {
  gateway = await startSmsGateway()
  platform = await startPlatform({ GANGWAY_SMS_URL: gateway.url })
  await makePumpModel(platform)
  await insertAsset(platform, 'pump')
})
afterEach(() => {
  gateway.requests.splice(0)
  gateway.answer = { status: 201, body: {} }
})
afterAll(async () => {
  await platform[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
})

const sms = { active: true, template: '{{alarmName}}: {{ackUrl}}', from: '+15005550006' }

/** Sends by SMS to a new user. @param phoneNumber as stored in the database */
async function sendTo(phoneNumber: string | null, channels: object = { sms }) {
  const { id: userId } = await makeUser(platform)
  await platform.ctx.db
    .updateTable('users')
    .set({ phone_number: phoneNumber })
    .where('id', '=', userId)
    .execute()
  await relate(platform, `${userId} member organization:${platform.organizationId}`)
  const contactGroupId = await makeContactGroup(platform, { users: [userId] })
  alarmId = await insertAlarm(platform)
  const subscribers = { contactGroups: [{ contactGroupId }] }
  const id = await makeNotification(platform, alarmId, { subscribers, channels })
  await enqueueNotifications(platform.ctx.db, [await insertActivation(platform, alarmId, 'pump')])
  const thrown = await runNotificationJobs(platform)
  return {
    id,
    thrown,
    deliveries: async () => (await platform.get(`/v1/notifications/${id}/deliveries`)).body,
  }
}

test('is sent to the gateway in the form of Twilio, with Basic credentials [docs/notifications#sending]', async () => {
  const { deliveries } = await sendTo('+49 (0)170 / 123-4567')
  expect(gateway.requests).toEqual([
    {
      method: 'POST',
      path: '/2010-04-01/Accounts/AC1/Messages.json',
      authorization: `Basic ${Buffer.from('AC1:to/ken').toString('base64')}`,
      contentType: 'application/x-www-form-urlencoded',
      form: {
        To: '+491701234567',
        From: '+15005550006',
        Body: expect.stringMatching(
          new RegExp(`^Too hot: ${platform.url.replaceAll('.', '\\.')}/ack/[\\w-]{100,160}$`),
        ),
      },
    },
  ])
  expect(await deliveries()).toMatchObject([
    { channel: 'sms', state: 'sent', address: '+491701234567', subject: null, attempts: 1 },
  ])
})

test('without a sender the gateway uses its own', async () => {
  await sendTo('+491701234567', { sms: { ...sms, from: '' } })
  expect(gateway.requests[0]!.form).not.toHaveProperty('From')
})

test.each([null, '', '0170 1234567', 'call me'])('a number such as %j is refused', async (phoneNumber) => {
  const { deliveries } = await sendTo(phoneNumber)
  expect(gateway.requests).toEqual([])
  expect(await deliveries()).toMatchObject([
    {
      state: 'failed',
      reason: 'no_phone_number',
      address: null,
      attempts: 0,
      body: expect.stringContaining('Too hot'),
    },
  ])
})

test.each([400, 422])(
  'a message that the gateway refuses with %i has failed, with its error',
  async (status) => {
    gateway.answer = { status, body: { code: 21211, message: "The 'To' number is not\nvalid." } }
    const { thrown, deliveries } = await sendTo('+491701234567')
    expect(thrown).toEqual([])
    expect(await deliveries()).toMatchObject([
      {
        state: 'failed',
        reason: 'sms_gateway_refused',
        message: `answered ${status}: The 'To' number is not valid.`,
        attempts: 1,
      },
    ])
  },
)

test.each([500, 503, 429, 401, 403, 404, 302])('a message is retried after %i', async (status) => {
  gateway.answer = { status, body: 'x'.repeat(1000) }
  const { thrown, deliveries } = await sendTo('+491701234567')
  expect(thrown).toHaveLength(1)
  expect(JSON.stringify(await deliveries())).not.toContain('ken')
  expect(await deliveries()).toMatchObject([
    { state: 'queued', reason: 'sms_gateway_unavailable', attempts: 1 },
  ])
  gateway.answer = { status: 200, body: 'ok' }
  expect(await runNotificationJobs(platform)).toEqual([])
  expect(await deliveries()).toMatchObject([{ state: 'sent', attempts: 2 }])
})

test('without a mail server the delivery is recorded as not configured [docs/notifications#deliveries]', async () => {
  const { deliveries } = await sendTo('+491701234567', { ...emailChannel, sms })
  expect(
    (await deliveries()).toSorted((a: { channel: string }, b: { channel: string }) =>
      a.channel < b.channel ? -1 : 1,
    ),
  ).toMatchObject([
    {
      channel: 'email',
      state: 'not_configured',
      reason: 'not_configured',
      subject: 'Alarm: Too hot',
      body: expect.stringContaining('Too hot on Asset pump: 90.5'),
    },
    { channel: 'sms', state: 'sent' },
  ])
})
