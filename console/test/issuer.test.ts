/** Sign-in at an OIDC issuer, against a real issuer. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { platformDatabase, type TestDatabase } from '../../server/test/harness/database.ts'
import {
  audience,
  clientId,
  type OidcIssuer,
  startOidcIssuer,
} from '../../server/test/harness/oidc-issuer.ts'
import { type GuardedPage, hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { untilSettled } from './harness/browser.mjs'
import { findAxeProblems } from './harness/find-axe-problems.ts'

describe.skipIf(!hasBrowser())('signing in at an issuer', () => {
  let database: TestDatabase
  let world: TestConsole
  let issuer: OidcIssuer
  beforeAll(async () => {
    database = await platformDatabase()
    world = await startConsole({ DATABASE_URL: database.url, GANGWAY_OUTBOUND_ALLOW: 'loopback' })
    issuer = await startOidcIssuer(
      { ada: { email: 'ada@example.com', verified: true } },
      { redirectUris: [`${world.url}/console/signed-in`], user: 'ada' },
    )
    await world.api('PATCH', '/v1/tenants/default', { oidc: { issuer: issuer.issuer, audience, clientId } })
  })
  afterAll(async () => {
    await issuer?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  test('the issuer is tested, changed and removed on the page of the sign-in', async () => {
    await using guarded = await world.openSignedIn('/people/sign-in')
    const { page } = guarded
    const panel = page.getByRole('region', { name: 'Test' })
    const dialog = page.getByRole('dialog')
    const change = async () => {
      await page.getByRole('button', { name: 'Save issuer' }).click()
      await dialog.getByRole('textbox').fill(issuer.issuer)
      await dialog.getByRole('button', { name: 'Change issuer' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await panel.getByRole('button', { name: 'Test the issuer' }).click()
    await panel.getByText('The issuer answers.', { exact: false }).waitFor()
    await panel.getByText(`${issuer.issuer}/auth`).waitFor()
    const field = page.getByRole('textbox', { name: 'Issuer', exact: true })
    await field.fill('ftp://nowhere')
    await panel.getByText('Save the changes first: what is saved is tested.').waitFor()
    await expect.poll(() => panel.getByRole('button', { name: 'Test the issuer' }).isDisabled()).toBe(true)
    await change()
    await page.locator('input[aria-invalid="true"]').waitFor()
    await field.fill('http://127.0.0.1:1')
    await page.getByText('is signed out at once', { exact: false }).waitFor()
    await change()
    await panel.getByRole('button', { name: 'Test the issuer' }).click()
    await panel.getByText('The issuer does not answer', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Remove issuer' }).click()
    await dialog.getByRole('textbox').fill('http://127.0.0.1:1')
    await dialog.getByRole('button', { name: 'Remove issuer' }).click()
    await panel.waitFor({ state: 'detached' })
    expect((await world.api('GET', '/v1/tenants/default')).oidc).toBe(null)
    expect(guarded.problems).toEqual([])
  })

  test('an issuer is set up and tested on the page, and a user signs in there', async () => {
    await world.api('PATCH', '/v1/tenants/default', { oidc: null })
    await using guarded = await world.openSignedIn('/people/sign-in')
    const { page } = guarded
    const panel = page.getByRole('region', { name: 'Test' })
    await page.getByText(`${world.url}/console/signed-in`).waitFor()
    const field = (name: string) => page.getByRole('textbox', { name, exact: true })
    await field('Issuer').fill(issuer.issuer)
    await field('Audience').fill(audience)
    await expect.poll(() => panel.count()).toBe(0)
    await page.getByRole('button', { name: 'Save issuer' }).click()
    await expect.poll(() => field('Client id').getAttribute('aria-invalid')).toBe('true')
    await field('Client id').fill(clientId)
    await page.getByRole('button', { name: 'Save issuer' }).click()
    await panel.getByRole('button', { name: 'Test the issuer' }).click()
    await panel.getByText('The issuer answers.', { exact: false }).waitFor()
    await panel.getByText(`${issuer.issuer}/auth`).waitFor()
    const { oidc } = await world.api('GET', '/v1/tenants/default')
    expect(oidc).toMatchObject({ issuer: issuer.issuer, audience, clientId })
    await using elsewhere = await world.openPage()
    await signInAtIssuer(elsewhere, '/devices')
    await elsewhere.page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor()
    // The ID token of this issuer contains only the subject.
    const users = await world.api('GET', '/v1/users')
    expect(users).toContainEqual(expect.objectContaining({ displayName: 'ada' }))
    expect([...guarded.problems, ...problemsBesideIssuer(elsewhere)]).toEqual([])
  })

  /** The problems of a page, without those of its redirect to the issuer. */
  const problemsBesideIssuer = ({ problems }: GuardedPage) =>
    problems.filter((problem) => !problem.includes(issuer.issuer))

  /** Ends all sign-ins, as after twelve hours. */
  async function endSignIns() {
    const ofAda = `user_id = (select id from users where oidc_subject = 'ada')`
    const past = `now() - interval '1 second'`
    await database.pool.query(`update refresh_tokens set expires_at = ${past}
      where family_id in (select id from refresh_token_families where ${ofAda})`)
    await database.pool.query(`update refresh_token_families set expires_at = ${past} where ${ofAda}`)
  }

  async function signInAtIssuer(guarded: GuardedPage, path: string) {
    const { page } = guarded
    await guarded.open(path)
    const company = page.getByRole('button', { name: 'Sign in with your company' })
    const tenant = page.getByLabel('Tenant')
    await company.or(tenant).waitFor()
    if (await company.isVisible()) await company.click()
    if ((await tenant.inputValue()) === '') await tenant.fill('default')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Account and preferences' }).waitFor()
  }

  test('the requested page opens after sign-in and after a reload, and its session is renewed', async () => {
    await using guarded = await world.openPage()
    const { page } = guarded
    await signInAtIssuer(guarded, '/devices?search=pump')
    await expect.poll(() => new URL(page.url()).search).toBe('?search=pump')
    const renewed = page.waitForResponse((response) => response.url().endsWith('/v1/auth/refresh'))
    await page.reload()
    expect((await renewed).status()).toBe(200)
    await page.getByRole('button', { name: 'Account and preferences' }).click()
    // The ID token of this issuer contains only the subject.
    await page.getByText('ada', { exact: true }).first().waitFor()
    expect(problemsBesideIssuer(guarded)).toEqual([])
  })

  test('after the sign-in has expired, a window signs the user in again, and the page keeps its input', async () => {
    await using guarded = await world.openPage()
    const { page, context } = guarded
    await signInAtIssuer(guarded, '/onboarding/first-device')
    await page.evaluate(() => (document.body.dataset.mark = 'kept'))
    await endSignIns()
    await page.getByRole('link', { name: 'Devices', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Your sign-in has ended' })
    await dialog.waitFor()
    expect(await findAxeProblems(page)).toEqual([])
    const opened = context.waitForEvent('page')
    await dialog.getByRole('button', { name: 'Sign in with your company' }).click()
    const window = await opened
    await dialog.waitFor({ state: 'detached' })
    await expect
      .poll(
        async () =>
          window.isClosed() || (await window.getByRole('heading', { name: 'You are signed in' }).isVisible()),
      )
      .toBe(true)
    expect(await page.evaluate(() => document.body.dataset.mark)).toBe('kept')
    // Data that was refused in the meantime is loaded again.
    await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor()
    await untilSettled(page)
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    expect(problemsBesideIssuer(guarded)).toEqual([])
  })

  test('after the session has ended, a reload offers the same issuer, and a manipulated link cannot redirect elsewhere', async () => {
    await using guarded = await world.openPage()
    const { page } = guarded
    await signInAtIssuer(guarded, '/devices')
    await endSignIns()
    await page.reload()
    await expect.poll(() => page.getByLabel('Tenant').inputValue()).toBe('default')
    await guarded.open('/signed-in?tenant=default&returnTo=https%3A%2F%2Fevil.example%2F')
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
    await expect.poll(() => new URL(page.url()).origin).toBe(world.url)
  })

  test('an issuer that does not respond is named, and its refusal is shown', async () => {
    await using guarded = await world.openPage()
    const { page } = guarded
    await guarded.open('/signed-in?state=wrong&error=access_denied&error_description=Not%20today')
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('Not today')
    await guarded.open('/signed-in?state=wrong&code=stolen')
    await expect
      .poll(() => page.getByRole('alert').textContent())
      .toContain('was not started in this browser tab')
    const oidc = { issuer: 'http://127.0.0.1:1', audience, clientId }
    await world.api('PATCH', '/v1/tenants/default', { oidc })
    await guarded.open('/')
    await page.getByRole('button', { name: 'Sign in with your company' }).click()
    await page.getByLabel('Tenant').fill('default')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').getByText('http://127.0.0.1:1').waitFor()
  })
})
