import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { runAllJobs } from '../../../test/harness/due-jobs.ts'
import { type MailServer, startMailServer } from '../../../test/harness/mail-server.ts'
import { apiAt, logIn, type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeUser } from '../../../test/harness/users.ts'
import { passwordTasks } from './send-reset.ts'

const password = 'staple battery horse'
let mailServer: MailServer
let platform: Platform
let silent: Platform
beforeAll(async () => {
  mailServer = await startMailServer()
  platform = await startPlatform({
    GANGWAY_SMTP_URL: mailServer.url,
    GANGWAY_MAIL_FROM: 'Gangway <gangway@example.com>',
  })
  silent = await startPlatform()
})
afterEach(() => void mailServer.mails.splice(0))
afterAll(async () => {
  await platform[Symbol.asyncDispose]()
  await silent[Symbol.asyncDispose]()
  await mailServer[Symbol.asyncDispose]()
})

const tokenIn = ({ text }: { text: string }) => /reset-password#token=([\w-]+)/.exec(text)![1]!
const invite = (email: string, at = platform) => at.post('/v1/users', { displayName: 'Ann', email })
const mailLink = (id: string, options = {}) =>
  platform.post(`/v1/users/${id}/password-link`, undefined, options)
const confirm = (token: string) =>
  platform.post('/v1/auth/password-reset/confirm', { token, newPassword: password }, { token: null })

/** Runs the jobs that wait, and returns the mail. */
async function readMail() {
  await runAllJobs(platform.ctx, passwordTasks(platform.ctx))
  expect(mailServer.mails).toHaveLength(1)
  return mailServer.mails[0]!
}

test('a user without a password is mailed a link for three days, sets one, and signs in [docs/organizations#users]', async () => {
  const { status, body } = await invite('Invited@example.com')
  expect([status, body.email]).toEqual([201, 'Invited@example.com'])
  const guess = await platform.post('/v1/auth/login', { username: body.email, password }, { token: null })
  expect(guess.status).toBe(401)
  const mail = await readMail()
  expect(mail.to.map((to) => to.toLowerCase())).toEqual(['invited@example.com'])
  expect(mail.text).toContain('within three days')
  const row = await platform.ctx.db
    .selectFrom('password_resets')
    .selectAll()
    .where('user_id', '=', body.id)
    .executeTakeFirstOrThrow()
  expect((row.expires_at.getTime() - row.created_at.getTime()) / 86_400_000).toBeCloseTo(3, 3)
  expect((await confirm(tokenIn(mail))).status).toBe(204)
  expect((await confirm(tokenIn(mail))).status).toBe(401)
  expect(await logIn(apiAt(platform.url), 'invited@example.com', password)).toBeTypeOf('string')
})

test('a reset that anybody asks for takes no invitation away', async () => {
  const { body } = await invite('waiting@example.com')
  await platform.post('/v1/auth/password-reset', { email: body.email }, { token: null })
  await runAllJobs(platform.ctx, passwordTasks(platform.ctx))
  expect(mailServer.mails.map(({ text }) => text.includes('within three days'))).toEqual([true])
  const { pool } = platform.ctx
  await pool.query("update password_resets set created_at = now() - interval '1 hour' where user_id = $1", [
    body.id,
  ])
  await platform.post('/v1/auth/password-reset', { email: body.email }, { token: null })
  await runAllJobs(platform.ctx, passwordTasks(platform.ctx))
  const { rows } = await pool.query<{ stays: boolean }>(
    "select expires_at > now() + interval '2 days' as stays from password_resets where user_id = $1",
    [body.id],
  )
  expect([mailServer.mails.length, rows]).toEqual([2, [{ stays: true }]])
})

test('an invitation right after a reset is mailed, and its link works', async () => {
  const { id, email } = await makeUser(platform)
  await platform.post('/v1/auth/password-reset', { email }, { token: null })
  await readMail()
  mailServer.mails.splice(0)
  expect((await mailLink(id)).status).toBe(202)
  const mail = await readMail()
  expect(mail.text).toContain('within three days')
  expect((await confirm(tokenIn(mail))).status).toBe(204)
})

test('where no mail is sent, a reset is refused alike for users and for anybody', async () => {
  const { email } = await makeUser(silent)
  const ask = (address: string) => silent.post('/v1/auth/password-reset', { email: address }, { token: null })
  const [answer, other] = [await ask(email), await ask('nobody@example.com')]
  expect([answer.status, answer.body.error]).toEqual([409, 'conflict'])
  expect([other.status, other.body.message]).toEqual([409, answer.body.message])
})

test('whoever manages a user mails the link again, which the audit log has; others may not', async () => {
  const { id, email } = await makeUser(platform)
  const { token } = await makeUser(platform)
  const { token: elsewhere } = await platform.makeTenant('mail-link')
  expect((await mailLink(id, { token })).status).toBe(403)
  expect((await mailLink(id, { token: elsewhere })).status).toBe(404)
  expect((await mailLink(id)).status).toBe(202)
  expect((await mailLink(id)).status).toBe(202)
  expect((await readMail()).to).toEqual([email])
  const log = (await platform.get(`/v1/audit-log?resourceId=${id}&limit=1`)).body
  expect(log).toMatchObject([{ action: 'mail-password-link', before: null, after: null }])
})

test('a link that nobody could receive or use is refused with the reason, and no user is made', async () => {
  const { id } = await makeUser(platform)
  await platform.patch(`/v1/users/${id}`, { disabled: true })
  expect((await mailLink(id)).body).toMatchObject({
    error: 'conflict',
    message: expect.stringContaining('disabled'),
  })

  const without = await invite('nomail@example.com', silent)
  expect(without.body).toMatchObject({
    error: 'conflict',
    message: expect.stringContaining('GANGWAY_SMTP_URL'),
    details: { reason: 'mail_not_configured' },
  })
  expect((await silent.get('/v1/users?search=nomail')).body).toEqual([])

  const oidc = { issuer: 'https://issuer.example', audience: 'gangway', clientId: 'console' }
  await platform.patch('/v1/tenants/default', { oidc })
  expect((await invite('issuer@example.com')).body).toMatchObject({
    error: 'conflict',
    message: expect.stringContaining('issuer'),
  })
  await platform.patch('/v1/tenants/default', { oidc: null })
})
