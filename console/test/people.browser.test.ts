import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adminPassword } from '../../server/test/harness/first-administrator.ts'
import { type MailServer, startMailServer } from '../../server/test/harness/mail-server.ts'
import { signIn, untilSettled } from './harness/browser.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { chooseFound, chooseGerman } from './harness/editor.ts'
import { hostileNames, makeApi } from './harness/fixtures.mjs'
import { email, makePeople, openAs, type People } from './harness/people.ts'

const password = 'staple battery horse'

describe.skipIf(!hasBrowser())('people and organizations', () => {
  let world: TestConsole
  let mailServer: MailServer
  let made: People
  beforeAll(async () => {
    mailServer = await startMailServer()
    world = await startConsole({
      GANGWAY_SMTP_URL: mailServer.url,
      GANGWAY_MAIL_FROM: 'Gangway <gangway@example.com>',
    })
    made = await makePeople(world.api)
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await mailServer?.[Symbol.asyncDispose]()
  })

  test('an invited manager of one branch chooses a password, signs in and sees that branch', async () => {
    await using administrator = await world.openSignedIn('/organizations')
    const { page } = administrator
    await page.getByRole('button', { name: 'Create organization' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('West')
    await pick(page, 'Below', 'North')
    await dialog.getByRole('button', { name: 'Create organization' }).click()
    await page.getByRole('heading', { level: 1, name: 'West' }).waitFor()

    await administrator.open('/people')
    await page.getByRole('button', { name: 'Add person' }).click()
    await dialog.getByRole('button', { name: 'Add person' }).waitFor()
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Ines Invited')
    await dialog.getByRole('textbox', { name: 'Email' }).fill(email('ines'))
    await dialog.getByRole('button', { name: 'Add person' }).click()
    await page.getByRole('heading', { level: 1, name: 'Ines Invited' }).waitFor()
    await page.getByRole('button', { name: 'Give access' }).click()
    await pick(page, 'On', 'West')
    await choose(page, 'As', 'manager')
    await dialog.getByText(/^Every privilege here/).waitFor()
    await dialog.getByRole('button', { name: 'Give access' }).click()
    await page.getByRole('row', { name: /West/ }).getByText('manager', { exact: true }).waitFor()

    await expect.poll(() => mailServer.mails.length).toBeGreaterThan(0)
    const { hash } = new URL(/http\S+reset-password#\S+/.exec(mailServer.mails[0]!.text)![0])
    await using invited = await world.openPage()
    await invited.open(`/reset-password${hash}`)
    await invited.page.getByLabel('New password').fill(password)
    await invited.page.getByRole('button', { name: 'Set the password' }).click()
    await invited.page.getByText('The new password is set.').waitFor()
    await invited.open('/organizations')
    await signIn(invited.page, { email: email('ines'), password })
    await invited.page.getByRole('row', { name: /West/ }).waitFor()
    await expect.poll(() => readNames(invited.page)).toEqual(['West'])
    expect([...administrator.problems, ...invited.problems]).toEqual([])
  })

  test.each(['mara', 'vic'])('%s sees exactly what the permission checks say', async (name) => {
    const api = await makeApi(world.url, { email: email(name), password: adminPassword })
    const { id: subjectId } = await api('GET', '/v1/auth/me')
    await using guarded = await openAs(world, name, '/organizations')
    for (const [path, resourceType, list] of [
      ['/organizations', 'organization', '/v1/organizations'],
      ['/people', 'user', '/v1/users'],
      ['/people/groups', 'group', '/v1/groups'],
      ['/access?type=organization', 'organization', '/v1/organizations'],
    ] as const) {
      const body = { subjectType: 'user', subjectId, resourceType, permission: 'view' }
      const permitted: string[] = await api('POST', '/v1/permissions/resources', body)
      const all = (await world.api('GET', list)) as { id: string; displayName: string }[]
      const names = all.filter(({ id }) => permitted.includes(id)).map(({ displayName }) => displayName)
      await guarded.open(path)
      await guarded.page.getByRole('heading', { level: 1 }).waitFor()
      await untilSettled(guarded.page)
      const readSorted = async () => (await readNames(guarded.page)).toSorted()
      await expect
        .poll(async () => ({ path, names: await readSorted() }))
        .toEqual({
          path,
          names: names.toSorted(),
        })
    }
    expect(guarded.problems).toEqual([])
  })

  test('a viewer sees what may not be done with the reason, and a page of another branch says so', async () => {
    const { northId, rootId, managerId } = made
    await using guarded = await openAs(world, 'vic', `/organizations/${northId}`)
    const { page } = guarded
    await page.getByText('You may look at this organization and not change it.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Save organization' }).count()).toBe(0)
    await expect.poll(() => page.getByRole('button', { name: 'Delete organization' }).isDisabled()).toBe(true)
    // One of each button, and one of the notice.
    const why = page.getByRole('button', { name: 'Why?' })
    await expect.poll(() => why.count()).toBe(3)
    await why.last().click()
    await page.getByText('You need the permission “manage”').waitFor()
    await page.keyboard.press('Escape')
    await why.nth(1).click()
    await page.getByText('You need the permission “delete”').waitFor()
    await guarded.open(`/organizations/${northId}?tab=relations`)
    await page.getByText('You may look at the relations of this object and not change them.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Give access' }).isDisabled()).toBe(true)
    for (const path of [`/organizations/${rootId}`, `/people/${managerId}`, '/audit']) {
      await guarded.open(path)
      await page.getByRole('heading', { name: 'You may not see this' }).waitFor()
      await page.getByText('Ask somebody who may grant the permission.').waitFor()
    }
    await guarded.open('/people')
    await expect.poll(() => page.getByRole('button', { name: 'Add person' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Why?' }).click()
    await page
      .getByText(/user_management|Manage users/)
      .first()
      .waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the tree of organizations closes and opens; a search lists what it finds; hostile names are text', async () => {
    await using guarded = await world.openSignedIn('/organizations')
    const { page } = guarded
    await page.getByTitle(hostileNames[0]!, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'What is below North' }).click()
    await page.getByTitle(hostileNames[0]!, { exact: true }).waitFor({ state: 'detached' })
    await expect.poll(() => page.getByTitle('South', { exact: true }).count()).toBe(1)
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('onerror')
    await page.getByTitle(hostileNames[0]!, { exact: true }).click()
    await page.getByRole('heading', { level: 1, name: hostileNames[0]! }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a privilege that an organization below still has is not taken away, and the page says where', async () => {
    await using guarded = await world.openSignedIn(`/organizations/${made.northId}`)
    const { page } = guarded
    await page.getByRole('checkbox', { name: 'Manage firmware' }).uncheck()
    await page.getByRole('button', { name: 'Save organization' }).click()
    await page.getByRole('alert').getByText('conflict', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await guarded.open(`/organizations/${made.lineId}`)
    await page.getByRole('checkbox', { name: 'Manage firmware' }).uncheck()
    await page.getByRole('button', { name: 'Save organization' }).click()
    await expect
      .poll(async () => (await world.api('GET', `/v1/organizations/${made.lineId}`)).privileges)
      .not.toContain('firmware_management')
    expect(guarded.problems).toEqual([])
  })

  test('a privilege that somebody else has revoked meanwhile does not come back unseen', async () => {
    const organization = await world.api('POST', '/v1/organizations', {
      displayName: 'Shared',
      parentOrganizationId: made.northId,
      privileges: ['firmware_management'],
    })
    const path = `/v1/organizations/${organization.id}`
    const read = async () => (await world.api('GET', path)).privileges
    await using guarded = await world.openSignedIn(`/organizations/${organization.id}`)
    const { page } = guarded
    await page.getByRole('checkbox', { name: 'Manage dashboards' }).check()
    await world.api('PATCH', path, { privileges: [] })
    const save = page.getByRole('button', { name: 'Save organization' })
    await save.click()
    await page.getByText(/Nothing is replaced yet/).waitFor()
    expect(await read()).toEqual([])
    await page.getByRole('checkbox', { name: 'Manage firmware' }).uncheck()
    await save.click()
    await expect.poll(read).toEqual(['dashboard_management'])
    await world.api('DELETE', path)
    expect(guarded.problems).toEqual([])
  })

  test('a user is changed, mailed a link, disabled and deleted by name', async () => {
    const { id } = await world.api('POST', '/v1/users', {
      displayName: 'Gone Soon',
      email: email('gone'),
      password: adminPassword,
    })
    await using guarded = await world.openSignedIn(`/people/${id}`)
    const { page } = guarded
    await page.getByRole('textbox', { name: 'Phone number' }).fill('0123')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Write + and up to 15 digits.').waitFor()
    await page.getByRole('textbox', { name: 'Phone number' }).fill('+41791234567')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect
      .poll(async () => (await world.api('GET', `/v1/users/${id}`)).phoneNumber)
      .toBe('+41791234567')
    await page.getByRole('button', { name: 'Mail a link' }).click()
    await page.getByText(`A link to ${email('gone')} is on its way.`).waitFor()
    await expect.poll(() => mailServer.mails.flatMap(({ to }) => to)).toContain(email('gone'))
    await page.getByRole('button', { name: 'Disable user' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Disable user' }).click()
    await page.getByText('disabled', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Mail a link' }).click()
    await page.getByText('This user is disabled. Enable the user first.').waitFor()
    await page.getByRole('button', { name: 'Delete user' }).click()
    await dialog.getByRole('textbox').fill('Gone Soon')
    await dialog.getByRole('button', { name: 'Delete user' }).click()
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor()
    expect(await world.api('GET', '/v1/users?search=Gone')).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  test('the words are German, too', async () => {
    await using guarded = await world.openSignedIn('/people')
    await chooseGerman(guarded.page)
    await guarded.page.getByRole('heading', { level: 1, name: 'Personen' }).waitFor()
    await guarded.page.getByRole('link', { name: 'Organisationen' }).click()
    await guarded.page.getByRole('heading', { level: 1, name: 'Organisationen' }).waitFor()
    expect(guarded.problems).toEqual([])
  })
})

/** The names in the first column of the list. */
async function readNames(page: Page): Promise<string[]> {
  const cells = page.getByRole('row').locator('[role="gridcell"]:first-child')
  return cells.locator('bdi').allTextContents()
}

/** Searches in a field of objects, and chooses what it finds. */
async function pick(page: Page, field: string, name: string) {
  await chooseFound(page.getByRole('combobox', { name: field, exact: true }), name)
}

async function choose(page: Page, field: string, name: string) {
  await page.getByRole('combobox', { name: field, exact: true }).click()
  await page.getByRole('option', { name, exact: true }).click()
}
