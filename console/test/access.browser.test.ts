import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adminPassword } from '../../server/test/harness/first-administrator.ts'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { chooseFound } from './harness/editor.ts'
import { findAppearanceProblems } from './harness/find-appearance-problems.ts'
import { makeFirmwareTemplate } from './harness/firmware.ts'
import { hostileNames } from './harness/fixtures.mjs'
import { email, makePeople, openAs, type People } from './harness/people.ts'

describe.skipIf(!hasBrowser())('access, audit and API tokens', () => {
  let world: TestConsole
  let made: People
  beforeAll(async () => {
    world = await startConsole()
    made = await makePeople(world.api)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('who can, why, why not, and giving what is missing', async () => {
    const { southId, viewerId } = made
    await using guarded = await world.openSignedIn(`/access/organization/${southId}`)
    const { page } = guarded
    const row = page.getByRole('row', { name: /Vic Viewer/ })
    await row.getByRole('button', { name: 'Why?' }).click()
    const path = page.getByRole('list', { name: 'The path of relations' })
    await path.getByText('South', { exact: true }).waitFor()
    const readSteps = async () =>
      (await path.getByRole('listitem').allTextContents()).map((step) => step.trim())
    await expect
      .poll(readSteps)
      .toEqual(['UserVic Viewer', `is member ofGroup${hostileNames[2]}`, 'is viewer ofOrganizationSouth'])
    await page.getByRole('button', { name: 'As code' }).click()
    await page.getByRole('dialog').getByText('/v1/permissions/explain').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Permission' }).click()
    await page.getByRole('option', { name: 'manage' }).click()
    const answer = page.getByRole('region', { name: 'Cannot manage it' })
    const ways = answer.getByRole('listitem').filter({ hasText: 'is manager of' })
    await ways.getByRole('button', { name: 'Give' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/^Every privilege here/).waitFor()
    await dialog.getByRole('button', { name: 'Give access' }).click()
    await page.getByRole('region', { name: 'Can manage it' }).waitFor()
    const may = {
      subjectType: 'user',
      subjectId: viewerId,
      resourceType: 'organization',
      resourceId: southId,
    }
    const check = await world.api('POST', '/v1/permissions/check', { ...may, permission: 'manage' })
    expect(check.result).toBe(true)
    expect(guarded.problems).toEqual([])
  })

  test('taking a relation away first says who loses what, and each count leads to its list', async () => {
    const { northId, viewerId } = made
    await using guarded = await world.openSignedIn(`/people/${viewerId}?tab=relations`)
    const { page } = guarded
    await page.getByRole('button', { name: 'Take away: viewer, North' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 user loses access').waitFor()
    await dialog.getByText('view · Organization: 2').click()
    await dialog.locator('details').getByRole('link', { name: 'North', exact: true }).waitFor()
    const may = {
      subjectType: 'user',
      subjectId: viewerId,
      resourceType: 'organization',
      resourceId: northId,
    }
    const check = () => world.api('POST', '/v1/permissions/check', { ...may, permission: 'view' })
    expect((await check()).result).toBe(true)
    await dialog.getByRole('button', { name: 'Take away', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Take away: viewer, North' }).waitFor({ state: 'detached' })
    expect((await check()).result).toBe(false)
    await using viewer = await openAs(world, 'vic', `/organizations/${northId}`)
    await viewer.page.getByRole('heading', { name: 'You may not see this' }).waitFor()
    expect([...guarded.problems, ...viewer.problems]).toEqual([])
  })

  test('the losses of many users are found out page by page, and the dialog says how far it is', async () => {
    const { id: groupId } = await world.api('POST', '/v1/groups', { displayName: 'Many' })
    const relate = (subjectType: string, subjectId: string, relation: string, on: [string, string]) =>
      world.api('POST', '/v1/relations', {
        subjectType,
        subjectId,
        relation,
        resourceType: on[0],
        resourceId: on[1],
      })
    for (let index = 0; index < 25; index++) {
      const fields = { email: email(`many-${index}`), password: adminPassword }
      const { id } = await world.api('POST', '/v1/users', { displayName: `Many ${index}`, ...fields })
      await relate('user', id, 'member', ['group', groupId])
    }
    await relate('group', groupId, 'viewer', ['organization', made.southId])
    await using guarded = await world.openSignedIn(`/people/groups/${groupId}?tab=relations`)
    const { page } = guarded
    await page.getByRole('button', { name: 'Take away: viewer, South' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('20 users lose access').waitFor()
    await dialog.getByText('It reaches more than 20 users, of whom these were looked at.').waitFor()
    await dialog.getByRole('button', { name: 'Look at more users' }).click()
    await dialog.getByText('25 users lose access').waitFor()
    await expect.poll(() => dialog.getByRole('button', { name: 'Look at more users' }).count()).toBe(0)
    expect(guarded.problems).toEqual([])
  })

  test('what ends with a group, a user or a privilege is said before it is done', async () => {
    const { groupId, viewerId, northId } = made
    await using guarded = await world.openSignedIn(`/people/groups/${groupId}`)
    const { page } = guarded
    const dialog = page.getByRole('dialog')
    const lost = dialog.getByRole('region', { name: 'Relations that end, and who loses what with each' })
    await page.getByRole('button', { name: 'Delete group' }).click()
    const ofGroup = lost.getByRole('listitem').filter({ hasText: 'is viewer of' }).first()
    await ofGroup.getByRole('link', { name: 'South', exact: true }).first().waitFor()
    expect(await findAppearanceProblems(page, 'before a group is deleted')).toEqual([])
    await guarded.open(`/people/${viewerId}`)
    await page.getByRole('button', { name: 'Disable user' }).click()
    await lost.getByRole('listitem').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Delete user' }).click()
    await lost.getByRole('listitem').first().waitFor()
    await guarded.open(`/organizations/${northId}?tab=settings`)
    await page.getByRole('checkbox', { name: 'Manage assets' }).uncheck()
    const holders = page.getByRole('region', { name: /^These relations would no longer give the privilege/ })
    await holders.getByText('Mara Manager').waitFor()
    await expect.poll(() => holders.getByText('Vic Viewer').count()).toBe(0)
    await page.getByText(/^Whoever has such a relation on an organization above/).waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await holders.waitFor({ state: 'detached' })
    expect(guarded.problems).toEqual([])
  })

  test('a dashboard that is shared on its page of access is seen by the other person, and was not before', async () => {
    const name = 'Shared board'
    const { id } = await world.api('POST', '/v1/dashboards', {
      displayName: name,
      organizationId: made.rootId,
      data: { version: 1, widgets: [] },
    })
    const user = { displayName: 'Sam Sharer', email: email('sam'), password: adminPassword }
    await world.api('POST', '/v1/users', user)
    await using other = await openAs(world, 'sam', '/dashboards')
    await other.page.getByRole('heading', { name: 'No dashboard yet' }).waitFor()
    await other.open(`/dashboards/${id}`)
    await other.page.getByRole('heading', { name: 'You may not see this' }).waitFor()

    await using guarded = await world.openSignedIn(`/dashboards/${id}`)
    const { page } = guarded
    await guarded.open(`/access/dashboard/${id}?tab=relations`)
    await page.getByRole('button', { name: 'Give access' }).click()
    const dialog = page.getByRole('dialog')
    await chooseFound(dialog.getByRole('combobox', { name: 'To whom', exact: true }), user.displayName)
    await dialog.getByRole('button', { name: 'Give access' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /Sam Sharer/ }).waitFor()

    await other.open('/dashboards')
    await other.page.getByRole('row', { name: new RegExp(name) }).click()
    await other.page.getByRole('heading', { level: 1, name }).waitFor()
    expect([...guarded.problems, ...other.problems]).toEqual([])
  })

  test('a deployment template and the environment have their access, too', async () => {
    const templateId = await makeFirmwareTemplate(world, hostileNames[0]!)
    await using guarded = await world.openSignedIn(`/firmware/templates/${templateId}`)
    const { page } = guarded
    await page.getByRole('main').getByRole('link', { name: 'Access', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: `Access of ${hostileNames[0]}` }).waitFor()
    await page.getByRole('link', { name: 'Open it' }).click()
    await page.getByRole('heading', { level: 1, name: hostileNames[0]!, exact: true }).waitFor()
    await guarded.open('/access?type=environment')
    await page.getByRole('row', { name: 'environment' }).click()
    await page.getByRole('heading', { level: 1, name: 'Access of environment' }).waitFor()
    await page.getByRole('row', { name: /Administrator/ }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('nobody gives more than they hold, and another branch stays closed', async () => {
    const { southId, northId } = made
    const { id: subjectId } = await world.api('POST', '/v1/users', {
      displayName: 'Olga',
      email: email('olga'),
      password: adminPassword,
    })
    await world.api('POST', '/v1/relations', {
      subjectType: 'user',
      subjectId,
      relation: 'organization_manager',
      resourceType: 'organization',
      resourceId: northId,
    })
    await using guarded = await openAs(world, 'olga', `/organizations/${northId}?tab=relations`)
    const { page } = guarded
    await page.getByRole('button', { name: 'Give access' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Kind of subject' }).click()
    await page.getByRole('option', { name: 'Organization', exact: true }).click()
    await chooseFound(dialog.getByRole('combobox', { name: 'To whom' }), 'North')
    await dialog.getByRole('combobox', { name: 'As' }).click()
    await page.getByRole('option', { name: 'manager', exact: true }).click()
    await dialog.getByRole('button', { name: 'Give access' }).click()
    await dialog.getByText(/gives more than you hold/).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await guarded.open(`/access/organization/${southId}`)
    await page.getByRole('heading', { name: 'You may not see this' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the audit log is narrowed in the address and shows the difference', async () => {
    const { groupId } = made
    await world.api('PATCH', `/v1/groups/${groupId}`, { description: 'Night shift' })
    await using guarded = await world.openSignedIn(`/people/groups/${groupId}`)
    const { page } = guarded
    await page.getByRole('link', { name: 'Changes of it' }).click()
    const panel = page.getByRole('dialog')
    // The page of the group has such a button, too, and goes only once the other one is loaded.
    await page.getByRole('button', { name: 'Changes: update, Group' }).waitFor()
    await page.getByRole('button', { name: 'As code' }).click()
    await panel
      .getByText(/[?&]from=/)
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Changes: update, Group' }).click()
    await panel.getByText('Night shift', { exact: true }).waitFor()
    const row = panel.getByRole('row').filter({ hasText: 'description' })
    await expect.poll(() => row.getByRole('cell').allTextContents()).toEqual(['Shift', 'Night shift'])
    await expect.poll(() => panel.getByRole('row').count()).toBe(2)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Action/ }).click()
    await page.getByRole('menuitemradio', { name: 'give a relation' }).click()
    await page.getByRole('button', { name: 'Changes: give a relation, Group' }).click()
    await panel.getByText('is member of').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('action')).toBe('create-relation')
    await page.reload()
    await page.getByRole('button', { name: 'Changes: give a relation, Group' }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Changes: update, Group' }).count()).toBe(0)
    expect(guarded.problems).toEqual([])
  })

  test('an API token is shown once, does what it is limited to, and is revoked by name', async () => {
    await using guarded = await world.openSignedIn('/api-tokens')
    const { page } = guarded
    await page.getByRole('button', { name: 'Create API token' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Nightly report')
    await dialog.getByRole('button', { name: 'Create API token' }).click()
    await dialog.getByText('It is shown only now.', { exact: false }).waitFor()
    const token = (await dialog.locator('pre').textContent())!
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(token)
    const ask = async (path: string) =>
      (await fetch(`${world.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status
    expect([await ask('/v1/assets'), await ask('/v1/users')]).toEqual([200, 403])
    await page
      .getByRole('row', { name: /Nightly report/ })
      .getByText('See data')
      .waitFor()
    await page.getByRole('button', { name: 'Revoke Nightly report' }).click()
    await dialog.getByRole('textbox').fill('Nightly report')
    await dialog.getByRole('button', { name: 'Revoke API token' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await ask('/v1/assets')).toBe(401)
    expect(guarded.problems).toEqual([])
  })
})
