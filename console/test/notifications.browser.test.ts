import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type MailServer, startMailServer } from '../../server/test/harness/mail-server.ts'
import { makeAlarms } from './harness/alarms.mjs'
import { makeAssets } from './harness/assets.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { chooseGerman, openAsViewer } from './harness/editor.ts'
import { findAppearanceProblemsOf } from './harness/find-appearance-problems.ts'
import { hostileNames, makeDevices, sendValues } from './harness/fixtures.mjs'

describe.skipIf(!hasBrowser())('notifications', () => {
  let world: TestConsole
  let mailServer: MailServer
  let hostile: string
  let contactGroup: string
  beforeAll(async () => {
    mailServer = await startMailServer()
    world = await startConsole({
      GANGWAY_SMTP_URL: mailServer.url,
      GANGWAY_MAIL_FROM: 'Gangway <gangway@example.com>',
    })
    await makeDevices(world.api, { count: 1 })
    await makeAssets(world.api)
    const { organizationId } = await makeAlarms(world.api)
    // The message of the alarm, which the tests do not count.
    await vi.waitUntil(() => mailServer.mails.length > 0)
    hostile = (await world.api('GET', '/v1/notifications'))[0].id
    const group = { displayName: hostileNames[1], organizationId }
    contactGroup = (await world.api('POST', '/v1/contactgroups', group)).id
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await mailServer?.[Symbol.asyncDispose]()
  })

  test('axe finds nothing, and nothing sticks out', async () => {
    await using guarded = await world.openSignedIn('/notifications')
    const one = `/notifications/${hostile}`
    const paths = [
      one,
      `${one}?tab=recipients`,
      `${one}?tab=deliveries`,
      '/notifications/new',
      '/notifications',
    ]
    const groups = ['/contact-groups', '/contact-groups/new', `/contact-groups/${contactGroup}`]
    expect(await findAppearanceProblemsOf(guarded, [...paths, ...groups])).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  test('from people to a message: a contact group, a notification, a test, recipients, a failed message sent again', async () => {
    await using guarded = await world.openSignedIn('/contact-groups')
    const { page } = guarded
    await page.getByRole('button', { name: 'Create contact group' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('On call')
    await pick(page, 'Users', 'Administrator')
    await page.getByRole('button', { name: 'Create contact group' }).click()
    await page.getByRole('heading', { level: 1, name: 'On call' }).waitFor()

    await guarded.open('/notifications')
    await page.getByRole('button', { name: 'Create notification' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Hot pumps')
    await pick(page, 'Rules', 'Too hot')
    await page.getByRole('checkbox', { name: 'Everybody of its organization' }).uncheck()
    await pick(page, 'Contact groups', 'On call')
    const text = page.getByRole('group', { name: 'Email' }).getByRole('textbox', { name: 'Text' })
    await text.fill('{{vlaue}}')
    await page.getByRole('button', { name: 'Create notification' }).click()
    await page.getByText(/unknown variable \{\{vlaue\}\}/).waitFor()
    await text.fill('It has {{value}}. {{ackUrl}}')
    await page.getByRole('button', { name: 'Create notification' }).click()
    await page.getByRole('heading', { level: 1, name: 'Hot pumps' }).waitFor()

    mailServer.mails.splice(0)
    const panel = page.getByRole('region', { name: 'Test message' })
    await panel.getByRole('button', { name: 'Send to me by Email' }).click()
    await panel.getByText('Sent').waitFor()
    expect(mailServer.mails.map(({ to }) => to)).toEqual([['admin@example.com']])
    await panel.getByRole('button', { name: 'Send to me by SMS' }).click()
    await panel.getByText('The user has no phone number.').waitFor()

    await page.getByRole('tab', { name: 'Recipients' }).click()
    await page
      .getByRole('row', { name: /Administrator/ })
      .getByText('yes')
      .waitFor()

    mailServer.rejects = true
    const statuses = await world.api('GET', '/v1/alarms/status?minSeverity=4')
    for (const { alarmStatusId } of statuses)
      await world.api('PUT', `/v1/alarms/status/acknowledge/${alarmStatusId}`)
    await sendValues(world.api, 'pump-0000', { temperature: 20 })
    await sendValues(world.api, 'pump-0000', { temperature: 99 })
    await page.getByRole('tab', { name: 'Messages' }).click()
    const row = page.getByRole('row', { name: /Administrator/ })
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Refresh' }).click()
        return row.getByText('Failed').count()
      })
      .toBe(1)
    await row.getByRole('button', { name: 'Why?' }).click()
    const why = page.getByRole('dialog')
    await why.getByText('The mail server refused the message.').waitFor()
    mailServer.rejects = false
    await why.getByRole('button', { name: 'Send again' }).click()
    await why.waitFor({ state: 'detached' })
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Refresh' }).click()
        return row.getByText('Sent').count()
      })
      .toBe(1)
    expect(guarded.problems).toEqual([])
  })

  test('a recipient who gets nothing has the reason beside the name, and its cure', async () => {
    const user = { displayName: 'Apprentice', email: 'apprentice@example.com' }
    const { id: userId } = await world.api('POST', '/v1/users', user)
    const { organizationId } = await world.api('GET', `/v1/notifications/${hostile}`)
    const group = { displayName: 'Apprentices', organizationId, users: [userId] }
    const { id: groupId } = await world.api('POST', '/v1/contactgroups', group)
    await world.api('PATCH', `/v1/notifications/${hostile}`, {
      subscribers: { contactGroups: [{ contactGroupId: groupId }] },
    })
    await using guarded = await world.openSignedIn(`/notifications/${hostile}?tab=recipients&asset=pump-7`)
    const { page } = guarded
    const row = page.getByRole('row', { name: /Apprentice/ })
    await row.getByText('no', { exact: true }).waitFor()
    await row.getByText('The user may not see the asset.').waitFor()
    await row.getByRole('button', { name: 'Why?' }).click()
    await page.getByRole('dialog').getByText('Give the user the permission “view” on the asset.').waitFor()
    await world.api('DELETE', `/v1/contactgroups/${groupId}`)
    await world.api('DELETE', `/v1/users/${userId}`)
    expect(guarded.problems).toEqual([])
  })

  test('a notification and a contact group keep what somebody else has saved meanwhile', async () => {
    await using guarded = await world.openSignedIn('/')
    const { page } = guarded
    const [{ id: organizationId }] = await world.api('GET', '/v1/organizations')
    const notification = await world.api('POST', '/v1/notifications', {
      displayName: 'Both',
      organizationId,
      broadcast: true,
      trigger: { alarmTrigger: [] },
      channels: { email: { active: true, template: '{{value}}' } },
    })
    const group = await world.api('POST', '/v1/contactgroups', { displayName: 'Both', organizationId })
    for (const [shown, stored, label] of [
      [`/notifications/${notification.id}`, `/v1/notifications/${notification.id}`, 'Save notification'],
      [`/contact-groups/${group.id}`, `/v1/contactgroups/${group.id}`, 'Save contact group'],
    ] as const) {
      await guarded.open(shown)
      const name = page.getByRole('textbox', { name: 'Name', exact: true })
      await name.fill('Mine')
      await world.api('PATCH', stored, { description: 'Of somebody else' })
      await page.getByRole('button', { name: label }).click()
      await expect
        .poll(() => world.api('GET', stored))
        .toMatchObject({
          displayName: 'Mine',
          description: 'Of somebody else',
        })
      await name.fill('Mine again')
      await world.api('PATCH', stored, { displayName: 'Theirs' })
      await page.getByRole('button', { name: label }).click()
      await page.getByText(/Nothing is replaced yet/).waitFor()
      await page.getByRole('status').filter({ hasText: 'Name: Theirs' }).waitFor()
      expect(await world.api('GET', stored)).toMatchObject({ displayName: 'Theirs' })
      await page.getByRole('button', { name: label }).click()
      await expect.poll(() => world.api('GET', stored)).toMatchObject({ displayName: 'Mine again' })
      await name.fill('Mine after a reload')
      await world.api('PATCH', stored, { displayName: 'Theirs before the reload' })
      for (let reload = 0; reload < 2; reload++) {
        await page.reload()
        await page.getByRole('status').getByText('Theirs before the reload').waitFor()
        await expect.poll(() => name.inputValue()).toBe('Mine after a reload')
      }
      await world.api('DELETE', stored)
    }
    expect(guarded.problems).toEqual([])
  })

  test('a viewer reads a notification and neither changes it nor sees addresses; the words are German, too', async () => {
    {
      await using guarded = await openAsViewer(world, `/notifications/${hostile}`)
      const { page } = guarded
      await page.getByText('You may look at this notification and not change it.').waitFor()
      await expect.poll(() => page.getByRole('button', { name: 'Save notification' }).count()).toBe(0)
      await page.getByRole('tab', { name: 'Messages' }).click()
      await page.getByRole('heading', { name: 'You may not see this' }).waitFor()
      expect(guarded.problems).toEqual([])
    }
    await using guarded = await world.openSignedIn('/notifications')
    const { page } = guarded
    await page.getByTitle(hostileNames[2]!, { exact: true }).waitFor()
    await chooseGerman(page)
    await page.getByRole('heading', { level: 1, name: 'Benachrichtigungen' }).waitFor()
    expect(guarded.problems).toEqual([])
  })
})

async function pick(page: Page, field: string, option: string) {
  const input = page.getByRole('combobox', { name: field, exact: true })
  await input.click()
  await page.getByRole('option', { name: option, exact: true }).click()
  await page.keyboard.press('Escape')
}
