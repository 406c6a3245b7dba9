import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertActivation, insertAlarm } from '../../../test/harness/alarms.ts'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import { type MailServer, startMailServer } from '../../../test/harness/mail-server.ts'
import {
  makeContactGroup,
  makeNotification,
  runNotificationJobs,
} from '../../../test/harness/notifications.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeUser, relate, type TestUser } from '../../../test/harness/users.ts'
import { createSealer } from '../../lib/seal.ts'
import { enqueueNotifications } from '../activate.ts'
import { issueAckToken } from './ack-token.ts'

let mailServer: MailServer
let platform: Platform
let ann: TestUser
let alarmId: string
beforeAll(async () => {
  mailServer = await startMailServer()
  platform = await startPlatform({
    GANGWAY_SMTP_URL: mailServer.url,
    GANGWAY_MAIL_FROM: 'gangway@example.com',
  })
  await makePumpModel(platform)
  await insertAsset(platform, 'pump')
  alarmId = await insertAlarm(platform)
  ann = await makeUser(platform)
  await relate(platform, `${ann.id} member organization:${platform.organizationId}`)
})
afterAll(async () => {
  await platform[Symbol.asyncDispose]()
  await mailServer[Symbol.asyncDispose]()
})

/** A separate activation, so that tests do not affect each other. */
async function activation(fields: Parameters<typeof insertActivation>[3] = {}) {
  await platform.ctx.db.updateTable('alarm_statuses').set({ state: 'cleared' }).execute()
  const change = await insertActivation(platform, alarmId, 'pump', fields)
  return { change, id: change.status.alarmStatusId }
}
const linkFor = (alarmStatusId: string, userId = ann.id) =>
  `/ack/${issueAckToken(platform.ctx.sealer, { tenantId: 'default', alarmStatusId, userId })}`
const call = (method: string, path: string, body?: unknown, headers = {}) =>
  platform.request(method, path, body, { token: null, headers })
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const press = (path: string) => call('POST', path, '', form)
const getStatusRow = (id: string) =>
  platform.ctx.db.selectFrom('alarm_statuses').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('the mailed link acknowledges, but only by its button [docs/notifications#acknowledge-links]', async () => {
  const contactGroupId = await makeContactGroup(platform, { users: [ann.id] })
  await makeNotification(platform, alarmId, { subscribers: { contactGroups: [{ contactGroupId }] } })
  const { change, id } = await activation()
  await enqueueNotifications(platform.ctx.db, [change])
  expect(await runNotificationJobs(platform)).toEqual([])
  const [, link] = /Acknowledge: (\S+)/.exec(mailServer.mails[0]!.text)!
  expect(link!.startsWith(`${platform.url}/ack/`)).toBe(true)
  const path = link!.slice(platform.url.length)

  // A mail scanner sends such a request.
  for (const method of ['HEAD', 'GET', 'GET']) expect((await call(method, path)).status).toBe(200)
  expect(await getStatusRow(id)).toMatchObject({ state: 'active_unacknowledged', acknowledged_at: null })
  const asked = (await call('GET', path)).body
  for (const text of ['Too hot', 'Asset pump', '2026-03-01T12:00:00.000Z', 'not acknowledged', '<button'])
    expect(asked).toContain(text)

  const done = await press(path)
  expect(done.status).toBe(200)
  expect(done.body).toContain('is acknowledged')
  const acknowledged = await getStatusRow(id)
  expect(acknowledged).toMatchObject({ state: 'active_acknowledged', acknowledged_by: ann.id })
  const log = (await platform.get(`/v1/audit-log?resourceId=${id}`)).body
  expect(log).toMatchObject([{ action: 'acknowledge', actorType: 'user', actorId: ann.id }])

  expect((await press(path)).status).toBe(200)
  expect((await call('GET', path)).body).not.toContain('<button')
  expect(await getStatusRow(id)).toEqual(acknowledged)
  expect((await platform.get(`/v1/audit-log?resourceId=${id}`)).body).toHaveLength(1)
})

test('the page has no script, and names in it are escaped', async () => {
  const { id } = await activation({ assetName: '<script>alert(1)</script>', alarmName: '"><b>' })
  const { headers, body } = await call('GET', linkFor(id))
  expect(body).not.toMatch(/<script|<b>/)
  expect(body).toContain('&lt;script&gt;')
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('cache-control')).toBe('no-store')
})

test('the acknowledgement clears an inactive alarm', async () => {
  const { id } = await activation({ state: 'inactive_unacknowledged' })
  expect((await press(linkFor(id))).body).toContain('cleared')
  expect(await getStatusRow(id)).toMatchObject({ state: 'cleared' })
})

test('the button works without a content type, and a body that is too large is not read', async () => {
  const { id } = await activation()
  expect((await call('POST', linkFor(id), 'x'.repeat(2000), form)).status).toBe(413)
  expect((await call('POST', linkFor(id))).status).toBe(200)
})

test('a link that is changed, forged or without an alarm has no effect', async () => {
  const { id } = await activation()
  const link = linkFor(id)
  const elsewhere = createSealer([Buffer.alloc(32, 1)])
  const claims = { tenantId: 'default', alarmStatusId: id, userId: ann.id }
  const otherPurpose = platform.ctx.sealer.seal('x x x default', 'other').toString('base64url')
  for (const path of [
    '/ack/x',
    `${link.slice(0, -2)}AA`,
    `/ack/${issueAckToken(elsewhere, claims)}`,
    `/ack/${otherPurpose}`,
    `/ack/${platform.adminToken}`,
    linkFor(crypto.randomUUID()),
    `/ack/${issueAckToken(platform.ctx.sealer, { ...claims, tenantId: 'other' })}`,
  ])
    for (const answer of [await call('GET', path), await press(path)]) {
      expect(answer.status).toBe(404)
      expect(answer.body).toContain('This link does not work')
    }
  expect(await getStatusRow(id)).toMatchObject({ acknowledged_at: null })
})

test('a link works for 7 days', async () => {
  const { id } = await activation()
  const realNow = Date.now
  const issuedAgo = (seconds: number) => {
    Date.now = () => realNow() - seconds * 1000
    try {
      return linkFor(id)
    } finally {
      Date.now = realNow
    }
  }
  expect((await call('GET', issuedAgo(7 * 86_400 - 60))).status).toBe(200)
  const old = issuedAgo(7 * 86_400 + 1)
  for (const answer of [await call('GET', old), await press(old)]) {
    expect(answer.status).toBe(410)
    expect(answer.body).toContain('expired')
  }
  expect(await getStatusRow(id)).toMatchObject({ acknowledged_at: null })
})

test('a user who lost access, was disabled or was deleted cannot acknowledge', async () => {
  const { id } = await activation()
  const [stranger, gone] = [await makeUser(platform), await makeUser(platform)]
  for (const user of [stranger, gone]) {
    expect((await press(linkFor(id, user.id))).status).toBe(403)
    await relate(platform, `${user.id} viewer organization:${platform.organizationId}`)
    expect((await call('GET', linkFor(id, user.id))).status).toBe(200)
  }
  await platform.patch(`/v1/users/${stranger.id}`, { disabled: true })
  await platform.delete(`/v1/users/${gone.id}`)
  for (const user of [stranger, gone]) expect((await press(linkFor(id, user.id))).status).toBe(403)
  expect(await getStatusRow(id)).toMatchObject({ acknowledged_at: null })
})
