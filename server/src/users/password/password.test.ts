import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type MailServer, startMailServer } from '../../../test/harness/mail-server.ts'
import { adminPassword, apiAt, logIn, type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeUser } from '../../../test/harness/users.ts'
import { startTestJobs } from '../../../test/harness/due-jobs.ts'
import { createMailer } from '../../lib/mail.ts'
import { insertReset } from './reset-store.ts'
import { passwordTasks } from './send-reset.ts'

const newPassword = 'staple battery horse'

let mailServer: MailServer
let platform: Platform
let logged = ''
const log = pino(
  { level: 'trace' },
  new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk)
      done()
    },
  }),
)

beforeAll(async () => {
  mailServer = await startMailServer()
  platform = await startPlatform({
    GANGWAY_SMTP_URL: mailServer.url,
    GANGWAY_MAIL_FROM: 'Gangway <gangway@example.com>',
    GANGWAY_PUBLIC_URL: 'https://gangway.example',
  })
})
afterEach(() => {
  mailServer.refuses = false
  mailServer.mails.splice(0)
})
afterAll(async () => {
  await platform[Symbol.asyncDispose]()
  await mailServer[Symbol.asyncDispose]()
})

const me = async (token: string) => (await platform.get('/v1/auth/me', { token })).status
const signIn = (email: string, password: string) => logIn(apiAt(platform.url), email, password)

/** Runs the job of the address at once, as the worker would. */
const sendReset = (email: string) => passwordTasks(platform.ctx)['send-password-reset']!({ email })
const askFor = (email: string, headers = {}) =>
  platform.post('/v1/auth/password-reset', { email }, { token: null, headers })
const confirm = (token: string, password = newPassword) =>
  platform.post('/v1/auth/password-reset/confirm', { token, newPassword: password }, { token: null })
const tokenIn = ({ text }: { text: string }) => /reset-password#token=([\w-]+)/.exec(text)![1]!

test('a change of password ends all other sign-ins and keeps this one', async () => {
  const { email, token } = await makeUser(platform)
  const other = await signIn(email, adminPassword)
  const change = (currentPassword: string, next = newPassword) =>
    platform.post('/v1/auth/password', { currentPassword, newPassword: next }, { token })
  expect((await change('wrong')).body).toMatchObject({ details: { issues: [{ path: 'currentPassword' }] } })
  expect((await change(adminPassword, 'short')).status).toBe(400)
  expect((await change(adminPassword)).status).toBe(204)
  expect([await me(token), await me(other)]).toEqual([200, 401])
  await expect(signIn(email, adminPassword)).rejects.toThrow('401')
  expect(await me(await signIn(email, newPassword))).toBe(200)
})

const makeApiToken = async (token: string): Promise<string> =>
  (await platform.post('/v1/api-tokens', { displayName: 'automation' }, { token })).body.token

test('a change of password ends the API tokens of the user, unless keepApiTokens is set', async () => {
  const { email, token } = await makeUser(platform)
  const stranger = await makeApiToken((await makeUser(platform)).token)
  const apiToken = await makeApiToken(token)
  const change = (body: object) => platform.post('/v1/auth/password', body, { token })
  const kept = { currentPassword: adminPassword, newPassword, keepApiTokens: true }
  expect((await change({ ...kept, keepApiTokens: 'yes' })).status).toBe(400)
  expect((await change(kept)).status).toBe(204)
  expect(await me(apiToken)).toBe(200)
  expect((await change({ currentPassword: newPassword, newPassword: adminPassword })).status).toBe(204)
  expect([await me(apiToken), await me(stranger)]).toEqual([401, 200])
  expect(await me(await signIn(email, adminPassword))).toBe(200)
})

test('a reset of the password ends the API tokens of the user, unless keepApiTokens is set', async () => {
  const reset = async (email: string, options: object) => {
    await sendReset(email)
    const token = tokenIn(mailServer.mails.find(({ to }) => to.includes(email))!)
    const answer = await platform.post('/v1/auth/password-reset/confirm', { token, newPassword, ...options })
    expect(answer.status).toBe(204)
  }
  const [one, other] = [await makeUser(platform), await makeUser(platform)]
  const [ended, kept] = [await makeApiToken(one.token), await makeApiToken(other.token)]
  await reset(one.email, {})
  await reset(other.email, { keepApiTokens: true })
  expect([await me(ended), await me(kept)]).toEqual([401, 200])
})

test('guessing the current password is slowed down like a login', async () => {
  const { token } = await makeUser(platform)
  const guess = () => platform.post('/v1/auth/password', { currentPassword: 'no', newPassword }, { token })
  // Stops the clock, so that no pause ends during the test.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  for (let attempt = 0; attempt < 5; attempt++) expect((await guess()).status).toBe(400)
  expect((await guess()).body.error).toBe('rate_limited')
})

test('a sent mail counts as an answer of the mail server; a mail without a recipient does not', async () => {
  const { email } = await makeUser(platform)
  expect(await sendReset(email)).toBe('answered')
  expect(await sendReset('nobody@example.com')).toBe('not_asked')
})

test('a mailed link sets a new password once, and ends every sign-in', async () => {
  const { id, email, token } = await makeUser(platform)
  expect((await askFor(email, { host: 'evil.example', 'x-forwarded-host': 'evil.example' })).status).toBe(202)
  await sendReset(email)
  const [mail] = mailServer.mails
  expect(mail).toMatchObject({ to: [email], from: 'gangway@example.com' })
  expect(mail!.text).toContain('https://gangway.example/console/reset-password#token=')
  expect(mail!.text).not.toContain('evil')
  expect(await me(token)).toBe(200)

  const secret = tokenIn(mail!)
  expect((await confirm(secret, 'short')).status).toBe(400)
  const answers = await Promise.all([confirm(secret), confirm(secret), confirm(secret)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 401, 401])
  expect(await me(token)).toBe(401)
  expect(await me(await signIn(email, newPassword))).toBe(200)
  const audit = await platform.get(`/v1/audit-log?resourceType=user&resourceId=${id}`)
  expect(audit.body[0]).toMatchObject({ action: 'reset-password', before: null, after: null })
})

test('the answer is the same for an unknown email, and no mail is sent', async () => {
  const { email } = await makeUser(platform)
  const [known, unknown] = [await askFor(email), await askFor('nobody@example.com')]
  expect([unknown.status, unknown.body]).toEqual([known.status, known.body])
  expect((await askFor('no email')).status).toBe(400)
  await sendReset('nobody@example.com')
  expect(mailServer.mails).toEqual([])
})

test('a disabled user gets no mail, and an earlier link has no effect', async () => {
  const { id, email } = await makeUser(platform)
  await sendReset(email)
  await platform.patch(`/v1/users/${id}`, { disabled: true })
  expect((await confirm(tokenIn(mailServer.mails[0]!))).status).toBe(401)
  await platform.ctx.db.deleteFrom('password_resets').execute()
  await sendReset(email)
  expect(mailServer.mails).toHaveLength(1)
})

test('a link expires after an hour, and an unknown token does nothing', async () => {
  const { email } = await makeUser(platform)
  await sendReset(email)
  const row = await platform.ctx.db.selectFrom('password_resets').selectAll().executeTakeFirstOrThrow()
  expect(row.expires_at.getTime() - row.created_at.getTime()).toBe(3_600_000)
  await platform.ctx.db.updateTable('password_resets').set({ expires_at: new Date() }).execute()
  expect((await confirm(tokenIn(mailServer.mails[0]!))).status).toBe(401)
  expect((await confirm('unknown')).status).toBe(401)
})

test('at most one mail a minute is sent, and its link works', async () => {
  const { email } = await makeUser(platform)
  for (let time = 0; time < 3; time++) await sendReset(email)
  expect(mailServer.mails).toHaveLength(1)
  expect((await confirm(tokenIn(mailServer.mails[0]!))).status).toBe(204)
})

test('a change of password revokes a mailed link', async () => {
  const { email, token } = await makeUser(platform)
  await sendReset(email)
  await platform.post('/v1/auth/password', { currentPassword: adminPassword, newPassword }, { token })
  expect((await confirm(tokenIn(mailServer.mails[0]!))).status).toBe(401)
})

test('a refused mail is retried with a new token; no token is logged', async () => {
  const { email } = await makeUser(platform)
  mailServer.refuses = true
  await expect(sendReset(email)).rejects.toThrow()
  mailServer.refuses = false
  await sendReset(email)
  expect((await confirm(tokenIn(mailServer.mails[0]!))).status).toBe(204)
})

test('a refused mail takes no link away that was made meanwhile', async () => {
  const { id, email } = await makeUser(platform)
  const { ctx } = platform
  let invitation: string | undefined
  const send: typeof ctx.mailer.send = async (mail) => {
    invitation = await insertReset(ctx.db, id, { isPaused: false })
    return ctx.mailer.send(mail)
  }
  mailServer.refuses = true
  const tasks = passwordTasks({ ...ctx, mailer: { ...ctx.mailer, send } })
  await expect(tasks['send-password-reset']!({ email })).rejects.toThrow()
  expect((await confirm(invitation!)).status).toBe(204)
})

test('the job of a request is run by the worker', async () => {
  const { email } = await makeUser(platform)
  await askFor(email)
  const { pool, db } = platform.ctx
  const jobs = await startTestJobs({ pool, db, log }, passwordTasks(platform.ctx))
  try {
    // Requests of earlier tests are mailed too.
    const mail = () => mailServer.mails.find(({ to }) => to.includes(email))
    await expect.poll(mail).toBeDefined()
    expect(logged).toContain('send-password-reset')
    expect(logged).not.toContain(tokenIn(mail()!))
  } finally {
    await jobs[Symbol.asyncDispose]()
  }
})

test('without a mail server nothing fails, and one warning says how to configure it', async () => {
  const lines: string[] = []
  const mailLog = pino(
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    }),
  )
  const mailer = createMailer({ smtpUrl: undefined, mailFrom: undefined }, mailLog)
  const mail = { to: 'a@example.com', subject: 's', text: 'secret-token' }
  expect(await mailer.send(mail)).toBe('not_configured')
  await mailer.send(mail)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('GANGWAY_SMTP_URL')
  expect(lines[0]).not.toContain('secret-token')
})

test('a user of an issuer gets no reset mail while the tenant has the issuer, and one afterwards', async () => {
  const { db } = platform.ctx
  const { id, email } = await makeUser(platform)
  const setUser = { password_hash: null, oidc_issuer: 'https://issuer.example', oidc_subject: 'ann' }
  await db.updateTable('users').set(setUser).where('id', '=', id).execute()
  const oidc = { issuer: 'https://issuer.example', audience: 'gangway', clientId: 'console' }
  await platform.patch('/v1/tenants/default', { oidc })
  await sendReset(email)
  expect(mailServer.mails).toEqual([])
  await platform.patch('/v1/tenants/default', { oidc: null })
  await sendReset(email)
  expect((await confirm(tokenIn(mailServer.mails[0]!))).status).toBe(204)
  expect(await me(await signIn(email, newPassword))).toBe(200)
})
