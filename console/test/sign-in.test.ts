import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startMailServer } from '../../server/test/harness/mail-server.ts'
import { signIn } from './harness/browser.mjs'
import { findAppearanceProblems, findAppearanceProblemsOf } from './harness/find-appearance-problems.ts'
import { hostileNames } from './harness/fixtures.mjs'
import { email } from './harness/people.ts'
import { administrator, hasBrowser, startConsole, type TestConsole } from './harness/console.ts'

const nameField = (page: Page) => page.getByRole('textbox', { name: 'Name', exact: true })

describe.skipIf(!hasBrowser())('signing in', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('the page that was asked for opens after the sign-in, and again after a reload', async () => {
    await using guarded = await world.openSignedIn('/devices?provider=mqtt')
    const { page, problems } = guarded
    await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?provider=mqtt')
    await page.reload()
    await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor()
    expect(problems).toEqual([])
  })

  test('a wrong password is refused with the reason, and what was typed stays', async () => {
    await using guarded = await world.openPage()
    await guarded.open('/')
    await guarded.page.getByLabel('Email').fill(administrator.email)
    await guarded.page.getByLabel('Password', { exact: true }).fill('not the password')
    await guarded.page.getByLabel('Password', { exact: true }).press('Enter')
    const alert = guarded.page.getByRole('alert')
    await alert.waitFor()
    await expect.poll(() => alert.textContent()).toContain('The email or the password is wrong.')
    await expect.poll(() => alert.textContent()).toContain('unauthorized')
    await expect.poll(() => guarded.page.getByLabel('Email').inputValue()).toBe(administrator.email)
    expect(guarded.problems).toEqual([])
  })

  test('no storage that scripts can read holds a token', async () => {
    await using guarded = await world.openSignedIn('/devices')
    const stored = await guarded.page.evaluate(() =>
      JSON.stringify({ ...localStorage, ...sessionStorage, cookie: document.cookie }),
    )
    expect(stored).not.toMatch(/eyJ|refresh|token/i)
    const cookies = await guarded.context.cookies(`${world.url}/v1/auth`)
    const refresh = cookies.find(({ name }) => name.includes('refresh'))
    expect(refresh).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
  })

  test('a refused access token is renewed, and the request goes through', async () => {
    await using guarded = await world.openSignedIn('/devices?search=pump')
    const { page } = guarded
    let refusals = 0
    await page.route('**/v1/providers?*', async (route) => {
      if (refusals++ > 0) return route.continue()
      return route.fulfill({ status: 401, json: { error: 'unauthorized', message: 'expired', details: {} } })
    })
    const renewed = page.waitForResponse((response) => response.url().endsWith('/v1/auth/refresh'))
    await page.reload()
    await renewed
    await expect.poll(() => refusals).toBeGreaterThanOrEqual(2)
    await page.getByRole('toolbar').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a sign-in that ends leaves the page open, and goes on where it was', async () => {
    await using guarded = await world.openSignedIn('/contact-groups/new')
    const { page, context } = guarded
    await nameField(page).fill('Night shift')
    await page.evaluate(() => (document.body.dataset.mark = 'kept'))
    await context.clearCookies()
    await page.route('**/v1/contactgroups', (route) =>
      route.fulfill({ status: 401, json: { error: 'unauthorized', message: 'expired', details: {} } }),
    )
    await page.getByRole('button', { name: 'Create contact group' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your sign-in has ended' })
    await dialog.waitFor()
    await page.unroute('**/v1/contactgroups')
    await expect.poll(() => dialog.getByLabel('Email').inputValue()).toBe(administrator.email)
    await signIn(page, administrator)
    await dialog.waitFor({ state: 'detached' })
    expect(await page.evaluate(() => document.body.dataset.mark)).toBe('kept')
    await expect.poll(() => nameField(page).inputValue()).toBe('Night shift')
    await page.getByRole('button', { name: 'Create contact group' }).click()
    await page.getByRole('heading', { name: 'Night shift' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('what somebody typed and read is not there for the next user of the tab', async () => {
    const bea = await world.api('POST', '/v1/users', {
      displayName: 'Bea',
      email: email('bea'),
      password: administrator.password,
    })
    const [root] = await world.api('GET', '/v1/organizations')
    await world.api('POST', '/v1/relations', {
      subjectType: 'user',
      subjectId: bea.id,
      resourceType: 'organization',
      resourceId: root.id,
      relation: 'contact_group_manager',
    })
    await using guarded = await world.openSignedIn('/contact-groups/new')
    const { page } = guarded
    await nameField(page).fill('Secret of the administrator')
    await page.reload()
    await expect.poll(() => nameField(page).inputValue()).toBe('Secret of the administrator')
    await page.getByRole('button', { name: 'Account and preferences' }).click()
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    await page.getByRole('heading', { name: 'Sign in to Gangway' }).waitFor()
    const readDrafts = () =>
      page.evaluate(() => Object.keys(sessionStorage).filter((name) => name.startsWith('gangway.draft.')))
    expect(await readDrafts()).toEqual([])
    await signIn(page, administrator)
    await nameField(page).fill('Secret of the administrator')
    await expect.poll(async () => (await readDrafts()).length).toBe(1)
    await guarded.context.clearCookies()
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to Gangway' }).waitFor()
    await signIn(page, { email: email('bea'), password: administrator.password })
    await expect.poll(() => nameField(page).inputValue()).toBe('')
    expect(guarded.problems).toEqual([])
  })

  test('signing out everywhere ends the other tabs and the other browsers', async () => {
    await using first = await world.openSignedIn('/devices')
    await using second = await world.openSignedIn('/devices')
    await first.page.getByRole('button', { name: 'Account and preferences' }).click()
    await first.page.getByRole('menuitem', { name: 'Sign out everywhere' }).click()
    await first.page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await first.page.getByRole('heading', { name: 'Sign in to Gangway' }).waitFor()
    await second.page.reload()
    await second.page.getByRole('heading', { name: 'Sign in to Gangway' }).waitFor()
    expect([...first.problems, ...second.problems]).toEqual([])
  })

  test('where no mail is sent, a forgotten password is answered with what helps', async () => {
    await using guarded = await world.openPage()
    await guarded.open('/')
    await guarded.page.getByRole('button', { name: 'Forgot the password?' }).click()
    await guarded.page.getByLabel('Email').fill('nobody@example.com')
    await guarded.page.getByRole('button', { name: 'Send the link' }).click()
    await guarded.page.getByText(/This installation sends no mail/).waitFor()
    await expect.poll(() => guarded.page.getByText(/a link is on its way/).count()).toBe(0)
    expect(guarded.problems).toEqual([])
  })

  test('where no mail is sent, an invitation is refused with what helps', async () => {
    await using guarded = await world.openSignedIn('/people')
    const { page } = guarded
    await page.getByRole('button', { name: 'Add person' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Ines')
    await dialog.getByRole('textbox', { name: 'Email' }).fill('ines@example.com')
    await dialog.getByRole('button', { name: 'Add person' }).click()
    await dialog.getByText('This installation sends no mail.').waitFor()
    await dialog.getByText(/You can also add a person with a password/).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the pages without a sign-in have no axe violations, and what an issuer says is a text', async () => {
    await using guarded = await world.openPage()
    const { page } = guarded
    await guarded.open('/')
    await page.getByRole('button', { name: 'Forgot the password?' }).click()
    await page.getByRole('button', { name: 'Send the link' }).waitFor()
    expect(await findAppearanceProblems(page, 'forgotten password')).toEqual([])
    await page.getByRole('button', { name: 'Send the link' }).click()
    expect(await findAppearanceProblems(page, 'forgotten password, refused')).toEqual([])
    const said = encodeURIComponent(hostileNames[0]!)
    const paths = [
      '/reset-password',
      '/reset-password#token=not-a-token',
      '/signed-in',
      `/signed-in?error=${said}`,
    ]
    expect(await findAppearanceProblemsOf(guarded, paths)).toEqual([])
    await page.getByText(hostileNames[0]!).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a forgotten password: the link of the mail leads to a new one, once', async () => {
    await using mailServer = await startMailServer()
    await using mailing = await startConsole({
      GANGWAY_SMTP_URL: mailServer.url,
      GANGWAY_MAIL_FROM: 'Gangway <gangway@example.com>',
    })
    const user = { email: email('forgetful'), password: 'another long password' }
    await mailing.api('POST', '/v1/users', {
      displayName: 'Forgetful',
      ...user,
      password: 'the forgotten one',
    })
    await using guarded = await mailing.openPage()
    const { page } = guarded
    await guarded.open('/')
    await page.getByRole('button', { name: 'Forgot the password?' }).click()
    await page.getByLabel('Email').fill(user.email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByText(/a link is on its way/).waitFor()
    await expect.poll(() => mailServer.mails.length).toBe(1)
    const [mail] = mailServer.mails
    expect(mail!.to).toContain(user.email)
    const { hash } = new URL(/http\S+reset-password#\S+/.exec(mail!.text)![0])
    const setPassword = async () => {
      await guarded.open(`/reset-password${hash}`)
      await page.reload()
      await page.getByLabel('New password', { exact: true }).fill(user.password)
      await page.getByRole('button', { name: 'Set the password' }).click()
    }
    await setPassword()
    await page.getByText('The new password is set.').waitFor()
    await setPassword()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    await expect.poll(() => alert.textContent()).toMatch(/link/)
    await guarded.open('/devices')
    await page.getByLabel('Email').fill(user.email)
    await page.getByLabel('Password', { exact: true }).fill('the forgotten one')
    await page.getByLabel('Password', { exact: true }).press('Enter')
    await expect.poll(() => alert.textContent()).toContain('The email or the password is wrong.')
    await signIn(page, user)
    await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor()
    expect(guarded.problems).toEqual([])
  })
})
