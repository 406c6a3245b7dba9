import type { MqttClient } from 'mqtt'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MailServer, startMailServer } from '../../server/test/harness/mail-server.ts'
import { consolePump } from './harness/alarms.mjs'
import { makeAssets } from './harness/assets.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { chooseGerman, openAsViewer, typeInEditor } from './harness/editor.ts'
import { findAppearanceProblems, findAppearanceProblemsOf } from './harness/find-appearance-problems.ts'
import { hostileNames } from './harness/fixtures.mjs'
import { connectPump, makePump } from './harness/pumps.ts'

const arithmetic = {
  and: [{ '>': [{ '+': [{ var: 'pressure' }, 1] }, 8] }, { '==': [{ var: 'running' }, true] }],
}

describe.skipIf(!hasBrowser())('rules', () => {
  let world: TestConsole
  let mailServer: MailServer
  let device: MqttClient
  let hostile: string
  let written: string
  const send = (payload: object) =>
    device.publishAsync('devices/pump-a/telemetry', JSON.stringify(payload), { qos: 1 })
  beforeAll(async () => {
    mailServer = await startMailServer()
    world = await startConsole({
      GANGWAY_SMTP_URL: mailServer.url,
      GANGWAY_MAIL_FROM: 'Gangway <gangway@example.com>',
    })
    await makePump(world, 'pump-a')
    await makeAssets(world.api, { device: 'pump-a' })
    device = await connectPump(world, 'pump-a')
    for (const temperature of [60, 75, 85, 72, 60, 66, 79, 50]) await send({ temperature, pressure: 2 })
    const rule = (fields: object) => world.api('POST', '/v1/alarms', { entityTypeId: consolePump, ...fields })
    hostile = (
      await rule({
        name: hostileNames[0],
        description: hostileNames[1],
        condition: JSON.stringify(arithmetic),
      })
    ).id
    written = (
      await rule({ name: 'Written', condition: JSON.stringify({ '>': [{ var: 'temperature' }, 80] }) })
    ).id
  })
  afterAll(async () => {
    await device?.endAsync(true)
    await world?.[Symbol.asyncDispose]()
    await mailServer?.[Symbol.asyncDispose]()
  })

  test('axe finds nothing, and nothing sticks out', async () => {
    await using guarded = await world.openSignedIn('/rules')
    expect(
      await findAppearanceProblemsOf(guarded, [
        '/rules',
        '/rules/new',
        `/rules/${written}`,
        `/rules/${hostile}`,
        `/rules/${hostile}?tab=json`,
      ]),
    ).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  test('a rule is made by clicks, backtested, saved, fires over MQTT, mails, and is acknowledged', async () => {
    await using guarded = await world.openSignedIn('/rules')
    const { page } = guarded
    await page.getByRole('button', { name: 'Create rule' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Warm pump')
    await page.getByText('Its assets are watched').waitFor()
    await choose(page, 'Model', 'Pump')
    const condition = page.getByRole('region', { name: 'Active when' })
    await condition.getByRole('button', { name: 'Add condition' }).click()
    await choose(page, 'Signal', 'temperature')
    await page.getByText('A row of a condition has no value yet.').waitFor()
    await condition.getByRole('textbox', { name: 'Value' }).fill('70')
    await choose(page, 'Comparison', 'is at least')
    await choose(page, 'Signal', 'pressure')
    await expect.poll(() => condition.getByRole('textbox', { name: 'Value' }).inputValue()).toMatch(/^70/)
    await choose(page, 'Signal', 'temperature')
    const comparison = condition.getByRole('combobox', { name: 'Comparison' })
    await expect.poll(() => comparison.inputValue()).toBe('is at least')
    await choose(page, 'Comparison', 'is above')
    const backtest = page.getByRole('region', { name: 'Backtest' })
    const activations = backtest.getByRole('row', { name: /^Activations/ })
    await activations.getByRole('cell', { name: '2', exact: true }).waitFor()
    await backtest.getByRole('figure').waitFor()
    await condition.getByRole('textbox', { name: 'Value' }).fill('80')
    await activations.getByRole('cell', { name: '1', exact: true }).waitFor()
    await condition.getByRole('button', { name: 'JSONLogic' }).click()
    const text = condition.getByRole('textbox', { name: 'Active when (JSONLogic)' })
    await expect.poll(() => text.textContent()).toContain('{">": [{"var": "temperature"}, 80]}')
    await typeInEditor(page, 'Active when (JSONLogic)', '{">": [{"var": "temperature"}, 90]}')
    await condition.getByRole('button', { name: 'Rows' }).click()
    await expect.poll(() => condition.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('90')
    await page.getByRole('button', { name: 'Save rule' }).click()
    await page.getByRole('heading', { level: 1, name: 'Warm pump' }).waitFor()
    await page.getByText('Nothing unsaved').waitFor()
    const rulePage = page.url()
    await guarded.open('/notifications/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('Warm pumps')
    await choose(page, 'Rules', 'Warm pump')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Create notification' }).click()
    await page.getByRole('heading', { level: 1, name: 'Warm pumps' }).waitFor()
    await page.goto(rulePage)
    const told = page.getByRole('region', { name: 'Who would have been told' })
    await condition.getByRole('textbox', { name: 'Value' }).fill('70')
    await told.getByRole('row', { name: 'Administrator 2', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByText('Nothing unsaved').waitFor()
    await page.getByRole('link', { name: 'Alarms of this rule' }).click()
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await send({ temperature: 95.25 })
    const row = page.getByRole('row', { name: /Warm pump/ })
    await row.getByText('95.25').waitFor()
    await expect.poll(() => mailServer.mails.map(({ to }) => to)).toEqual([['admin@example.com']])
    expect(mailServer.mails[0]!.text).toContain('95.25')
    await row.getByRole('button', { name: 'Acknowledge' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Comment').fill('Fan replaced')
    await dialog.getByRole('button', { name: 'Acknowledge', exact: true }).click()
    await row.getByText('Acknowledged', { exact: true }).waitFor()
    await send({ temperature: 40 })
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    // The rule "Too hot" was cleared at the same time.
    const cleared = await world.api('GET', '/v1/alarms/status/history')
    expect(cleared).toContainEqual(
      expect.objectContaining({
        alarmName: 'Warm pump',
        acknowledgeComment: 'Fan replaced',
        value: 95.25,
      }),
    )
    expect(guarded.problems).toEqual([])
  })

  test('a notification without any recipient tells nobody of a backtest', async () => {
    const [{ id: parentOrganizationId }] = await world.api('GET', '/v1/organizations')
    const { id: organizationId } = await world.api('POST', '/v1/organizations', {
      displayName: 'Without users',
      parentOrganizationId,
    })
    const { id } = await world.api('POST', '/v1/notifications', {
      displayName: 'Without recipients',
      organizationId,
      broadcast: false,
      trigger: { alarmTrigger: [written] },
      channels: { email: { active: true, template: '{{value}}' } },
    })
    await using guarded = await world.openSignedIn(`/rules/${written}`)
    const told = guarded.page.getByRole('region', { name: 'Who would have been told' })
    await told.getByText('Nobody', { exact: true }).waitFor()
    await world.api('DELETE', `/v1/notifications/${id}`)
    await world.api('DELETE', `/v1/organizations/${organizationId}`)
    expect(guarded.problems).toEqual([])
  })

  test('a change is compared with the saved rule, refused where the server finds it wrong, and undone', async () => {
    await using guarded = await world.openSignedIn(`/rules/${written}`)
    const { page } = guarded
    const backtest = page.getByRole('region', { name: 'Backtest' })
    await backtest
      .getByRole('row', { name: /^Activations/ })
      .getByRole('cell')
      .first()
      .waitFor()
    const condition = page.getByRole('region', { name: 'Active when' })
    await condition.getByRole('textbox', { name: 'Value' }).selectText()
    await page.keyboard.type('-5')
    await expect.poll(() => condition.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('-5')
    await condition.getByRole('textbox', { name: 'Value' }).fill('1000')
    const row = backtest.getByRole('row', { name: /^Activations/ })
    await row.getByRole('cell', { name: '0', exact: true }).waitFor()
    await expect.poll(() => row.getByRole('cell').count()).toBe(2)
    await condition.getByRole('button', { name: 'JSONLogic' }).click()
    await typeInEditor(page, 'Active when (JSONLogic)', '{">": [{"var": "steam"}, 1]}')
    await page.getByRole('button', { name: 'Save rule' }).click()
    await condition.getByRole('alert').getByText(/steam/).waitFor()
    await page.getByText('1 problem').waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByText('Nothing unsaved').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('what somebody else saved meanwhile is followed, and what was typed stays', async () => {
    await using guarded = await world.openSignedIn(`/rules/${written}`)
    const { page } = guarded
    await page.getByRole('textbox', { name: 'Name' }).fill('Rewritten')
    await page.getByText(/^Unsaved since/).waitFor()
    const {
      id: _id,
      organizationId: _organization,
      ...rule
    } = await world.api('GET', `/v1/alarms/${written}`)
    await world.api('PUT', `/v1/alarms/${written}`, { ...rule, description: 'Of somebody else' })
    const description = page.getByRole('textbox', { name: 'Description' })
    await expect
      .poll(async () => {
        await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
        return description.inputValue()
      })
      .toBe('Of somebody else')
    await expect.poll(() => page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Rewritten')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByText('Nothing unsaved').waitFor()
    await expect.poll(() => description.inputValue()).toBe('Of somebody else')
    expect(guarded.problems).toEqual([])
  })

  test('a save replaces nothing that somebody else has saved, unless it was shown before', async () => {
    const rule = await world.api('POST', '/v1/alarms', { name: 'Shared', entityTypeId: consolePump })
    const other = (fields: object) =>
      world.api('PUT', `/v1/alarms/${rule.id}`, { name: 'Shared', entityTypeId: consolePump, ...fields })
    await using guarded = await world.openSignedIn(`/rules/${rule.id}`)
    const { page } = guarded
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('Mine')
    await page.getByText(/^Unsaved since/).waitFor()
    await other({ description: 'Of somebody else' })
    await page.getByRole('button', { name: 'Save rule' }).click()
    await page.getByText('Nothing unsaved').waitFor()
    const read = () => world.api('GET', `/v1/alarms/${rule.id}`)
    expect(await read()).toMatchObject({ name: 'Mine', description: 'Of somebody else' })
    await name.fill('Mine again')
    await page.getByText(/^Unsaved since/).waitFor()
    await other({ name: hostileNames[2] })
    await page.getByRole('button', { name: 'Save rule' }).click()
    await page.getByText(/Nothing is replaced yet/).waitFor()
    await page.getByRole('status').getByText(hostileNames[2]!).waitFor()
    expect(await read()).toMatchObject({ name: hostileNames[2] })
    await expect.poll(() => name.inputValue()).toBe('Mine again')
    await page.getByRole('button', { name: 'Save rule' }).click()
    await page.getByText('Nothing unsaved').waitFor()
    expect(await read()).toMatchObject({ name: 'Mine again' })
    await name.fill('Mine after a reload')
    await page.getByText(/^Unsaved since/).waitFor()
    await other({ name: 'Theirs before the reload' })
    for (let reload = 0; reload < 2; reload++) {
      await page.reload()
      await page.getByRole('status').getByText('Theirs before the reload').waitFor()
      await expect.poll(() => name.inputValue()).toBe('Mine after a reload')
    }
    await world.api('DELETE', `/v1/alarms/${rule.id}`)
    expect(guarded.problems).toEqual([])
  })

  test('what rows cannot show stays a text, and is saved as it is', async () => {
    await using guarded = await world.openSignedIn(`/rules/${hostile}`)
    const { page } = guarded
    const condition = page.getByRole('region', { name: 'Active when' })
    await condition.getByText('Rows cannot show this condition. It stays a text, as it is.').waitFor()
    await expect.poll(() => condition.getByRole('button', { name: 'Rows' }).isDisabled()).toBe(true)
    await page.getByRole('textbox', { name: 'Description' }).fill('Other')
    await page.getByRole('button', { name: 'Save rule' }).click()
    await page.getByText('Nothing unsaved').waitFor()
    const rule = await world.api('GET', `/v1/alarms/${hostile}`)
    expect(JSON.parse(rule.condition)).toEqual(arithmetic)
    expect(rule).toMatchObject({ name: hostileNames[0], description: 'Other' })
    expect(guarded.problems).toEqual([])
  })

  test('nested groups and what must not hold are made by clicks, and read again from the saved rule', async () => {
    const { id } = await world.api('POST', '/v1/alarms', {
      name: 'Nested',
      entityTypeId: consolePump,
      condition: JSON.stringify({ '>': [{ var: 'temperature' }, 70] }),
    })
    await using guarded = await world.openSignedIn(`/rules/${id}`)
    const { page } = guarded
    const condition = page.getByRole('region', { name: 'Active when' })
    await condition.getByRole('button', { name: 'Add group' }).click()
    const group = condition.getByRole('group', { name: 'Active when, group 2', exact: true })
    await group.getByRole('textbox', { name: 'Value' }).fill('80')
    await group.getByRole('button', { name: 'Add group' }).click()
    const inner = condition.getByRole('group', { name: 'Active when, group 2, group 2', exact: true })
    await inner.getByRole('textbox', { name: 'Value' }).fill('90')
    await inner.getByRole('combobox', { name: /^Whether/ }).click()
    await page.getByRole('option', { name: 'This does not hold:' }).click()
    await page.getByRole('button', { name: 'Save rule' }).click()
    await page.getByText('Nothing unsaved').waitFor()
    const above = (limit: number) => ({ '>': [{ var: 'temperature' }, limit] })
    const saved = await world.api('GET', `/v1/alarms/${id}`)
    expect(JSON.parse(saved.condition)).toEqual({
      and: [above(70), { or: [above(80), { '!': [above(90)] }] }],
    })
    expect(await findAppearanceProblems(page, 'nested groups')).toEqual([])
    await guarded.open(`/rules/${id}`)
    await expect.poll(() => inner.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('90')
    await inner.getByRole('button', { name: 'Remove Active when, group 2, group 2', exact: true }).click()
    await inner.waitFor({ state: 'detached' })
    await condition.getByRole('button', { name: 'Remove Active when, row 1' }).click()
    await page.getByRole('button', { name: 'Save rule' }).click()
    await page.getByText('Nothing unsaved').waitFor()
    expect(JSON.parse((await world.api('GET', `/v1/alarms/${id}`)).condition)).toEqual({ or: [above(80)] })
    await world.api('DELETE', `/v1/alarms/${id}`)
    expect(guarded.problems).toEqual([])
  })

  test('a viewer looks and changes nothing; the words are German, too; a rule is deleted by its name', async () => {
    {
      await using guarded = await openAsViewer(world, `/rules/${written}`)
      await guarded.page.getByText('You may look at this rule and not change it.').waitFor()
      await expect.poll(() => guarded.page.getByRole('button', { name: 'Save rule' }).isDisabled()).toBe(true)
      expect(guarded.problems).toEqual([])
    }
    await using guarded = await world.openSignedIn(`/rules/${written}`)
    const { page } = guarded
    await page.getByRole('heading', { name: 'Backtest' }).waitFor()
    await chooseGerman(page)
    await page.getByRole('heading', { name: 'Rückblick' }).waitFor()
    await page.getByRole('button', { name: 'Regel löschen' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('Written')
    await dialog.getByRole('button', { name: 'Regel löschen' }).click()
    await page.getByRole('heading', { level: 1, name: 'Regeln' }).waitFor()
    await page.getByRole('row').nth(1).waitFor()
    await expect.poll(() => page.getByRole('row', { name: 'Written' }).count()).toBe(0)
    expect(guarded.problems).toEqual([])
  })
})

async function choose(page: Page, field: string, option: string) {
  await page.getByRole('combobox', { name: field, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
