import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { above, consolePump, makeAlarms } from './harness/alarms.mjs'
import { makeAsset, makeAssets } from './harness/assets.mjs'
import { variants } from './harness/browser.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { chooseGerman, openAsViewer } from './harness/editor.ts'
import { findAppearanceProblems, findAppearanceProblemsOf } from './harness/find-appearance-problems.ts'
import { hostileNames, makeDevices, sendValues } from './harness/fixtures.mjs'

describe.skipIf(!hasBrowser())('alarms', () => {
  let world: TestConsole
  let made: Awaited<ReturnType<typeof makeAlarms>>
  let halls: string[]
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 2 })
    const assets = await makeAssets(world.api)
    halls = assets.halls
    made = await makeAlarms(world.api)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('axe finds nothing, and nothing sticks out', async () => {
    await using guarded = await world.openSignedIn('/alarms')
    const one = `/alarms/${made.alarmStatusId}`
    expect(
      await findAppearanceProblemsOf(guarded, [
        '/alarms',
        '/alarms?show=history',
        one,
        `${one}?tab=deliveries`,
        `${one}?tab=history`,
      ]),
    ).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  test('the list shows hostile names as text, and the filters stand in the address', async () => {
    await using guarded = await world.openSignedIn('/alarms')
    const { page } = guarded
    await page
      .getByRole('row', { name: /Too hot/ })
      .getByText('Active')
      .waitFor()
    await page.getByTitle(hostileNames[0]!, { exact: true }).waitFor()
    const acknowledge = page.getByRole('button', { name: 'Acknowledge', exact: true }).first()
    // Buttons of a row are lower than those of a page, and no lower than a target may be.
    expect((await acknowledge.boundingBox())!.height).toBe(24)
    await page.getByRole('button', { name: 'Severity' }).click()
    await page.getByRole('menuitemradio', { name: 'High and above' }).click()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await expect.poll(() => new URL(page.url()).searchParams.get('severity')).toBe('4')
    await guarded.open(`/alarms?node=${halls[1]}`)
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await guarded.open(`/alarms?node=${halls[0]}&state=active_unacknowledged`)
    await expect.poll(() => page.getByRole('row').count()).toBe(3)
    expect(guarded.problems).toEqual([])
  })

  test('rules, assets and nodes of the filters are searched on the server, and chosen by keyboard', async () => {
    const [{ id: organizationId }] = await world.api('GET', '/v1/organizations')
    // More than a menu offers at once.
    for (let index = 0; index < 60; index++)
      await world.api('POST', '/v1/tree/nodes', { displayName: `Bay ${index}`, organizationId })
    await world.api('POST', '/v1/alarms', { name: 'Never active' })
    const idle = { id: 'idle', displayName: 'Idle pump', modelId: consolePump, organizationId }
    await world.api('POST', '/v1/assets', idle)
    await using guarded = await world.openSignedIn('/alarms')
    const { page } = guarded
    const toolbar = page.getByRole('toolbar', { name: 'Alarms' })
    const find = async (filter: string, name: string) => {
      await toolbar.getByRole('button', { name: filter, exact: true }).click()
      const search = page.getByLabel(`Search: ${filter}`)
      await search.fill(name)
      await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['any', name])
      if (filter === 'Node') expect(await findAppearanceProblems(page, 'the menu of a filter')).toEqual([])
      // From "any" to what was found.
      await search.press('ArrowDown')
      await search.press('ArrowDown')
      await search.press('Enter')
      await toolbar.getByRole('button', { name: `${filter}: ${name}` }).waitFor()
      await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
      await toolbar.getByRole('button', { name: `Remove the filter ${filter}` }).click()
      await page.getByRole('row', { name: /Too hot/ }).waitFor()
    }
    await find('Node', 'Bay 59')
    await find('Alarm', 'Never active')
    await find('Asset', 'Idle pump')
    expect(guarded.problems).toEqual([])
  })

  test('on a phone a row has its asset, its severity and its state', async () => {
    await using guarded = await world.openSignedIn('/alarms', variants[2])
    const row = guarded.page.getByRole('row', { name: /Too hot/ }).first()
    await row.waitFor()
    const cells = await row.getByRole('gridcell').allInnerTexts()
    expect(cells.map((cell) => cell.split(/\s*\n\s*/))).toEqual([
      [''],
      ['Too hot', expect.any(String)],
      [expect.stringMatching(/^(Low|Medium|High|Critical)$/), 'Active'],
    ])
    await row.getByRole('link').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('many are acknowledged at once, and the life of an alarm says what became of its messages', async () => {
    const names = ['Many A', 'Many B']
    const rules: { id: string }[] = []
    for (const name of names)
      rules.push(
        await world.api('POST', '/v1/alarms', {
          name,
          entityTypeId: consolePump,
          condition: above('temperature', 0),
        }),
      )
    await sendValues(world.api, 'pump-0000', { temperature: 96 })
    await using guarded = await world.openSignedIn('/alarms')
    const { page } = guarded
    for (const name of names) await page.getByRole('row', { name }).getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Acknowledge alarms' }).click()
    const dialog = page.getByRole('dialog', { name: 'Acknowledge 2 alarms' })
    for (const name of names) await dialog.getByText(name).waitFor()
    await dialog.getByLabel('Comment').fill('Both seen')
    await dialog.getByRole('button', { name: 'Acknowledge', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    const open = await world.api('GET', '/v1/alarms/status')
    for (const alarmName of names)
      expect(open).toContainEqual(expect.objectContaining({ alarmName, acknowledgeComment: 'Both seen' }))
    for (const { id } of rules) await world.api('DELETE', `/v1/alarms/${id}`)
    await guarded.open(`/alarms/${made.alarmStatusId}`)
    const life = page.getByRole('region', { name: 'What happened' })
    const told = life.getByRole('listitem').filter({ hasText: 'Nobody was told' })
    await told.getByText('Not sent: 1').waitFor()
    await told.getByRole('link', { name: 'Messages' }).click()
    await page.getByRole('row', { name: /Administrator/ }).waitFor()
    await page.getByRole('link', { name: 'Rule', exact: true }).click()
    await page.getByRole('region', { name: 'Active when' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the title counts what nobody has acknowledged, and a new alarm is heard, for those who choose it', async () => {
    await using guarded = await world.openSignedIn('/alarms')
    const { page } = guarded
    await page.addInitScript(() => {
      const { prototype } = AudioScheduledSourceNode
      const { start } = prototype
      prototype.start = function (...times) {
        document.documentElement.dataset.tones = String(
          Number(document.documentElement.dataset.tones ?? 0) + 1,
        )
        return start.apply(this, times)
      }
    })
    await guarded.open('/alarms')
    const tones = () => page.evaluate(() => document.documentElement.dataset.tones ?? '0')
    const count = async () => (await world.api('GET', '/v1/overview')).alarms.unacknowledged
    const before: number = await count()
    await expect.poll(() => page.title()).toBe('Alarms · Gangway')
    await page.getByRole('button', { name: 'Account and preferences' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Count in the window title' }).click()
    await expect.poll(() => page.title()).toBe(`(${before}) Alarms · Gangway`)
    // The menu stays open.
    const heard = page.waitForResponse((response) => response.url().includes('state=active_unacknowledged'))
    await page.getByRole('menuitemcheckbox', { name: 'Sound for a new alarm' }).click()
    // The choice lets one hear it.
    await expect.poll(tones).toBe('2')
    await heard
    const { id } = await world.api('POST', '/v1/alarms', {
      name: 'Heard',
      entityTypeId: consolePump,
      condition: above('temperature', 1),
    })
    await sendValues(world.api, 'pump-0000', { temperature: 97 })
    await expect
      .poll(async () => {
        await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
        return [await page.title(), await tones()]
      })
      .toEqual([`(${before + 1}) Alarms · Gangway`, '4'])
    await world.api('DELETE', `/v1/alarms/${id}`)
    expect(guarded.problems).toEqual([])
  })

  test('an alarm appears at once, is acknowledged with a comment among others, ends and goes into the history', async () => {
    await makeAsset(world.api, 'live', 'Live pump', undefined)
    await world.api('POST', '/v1/assets/live/bind', { autobindRemoteInstanceIds: ['pump-0001'] })
    await world.api('POST', '/v1/alarms', {
      name: 'Too fast',
      entityTypeId: consolePump,
      severity: 5,
      condition: above('pressure', 50),
    })
    await using guarded = await world.openSignedIn('/alarms?severity=5')
    const { page } = guarded
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.getByText(/^Live/).first().waitFor()
    await sendValues(world.api, 'pump-0001', { pressure: 51.5 })
    const row = page.getByRole('row', { name: /Too fast/ })
    await row.getByText('51.5').waitFor()
    await row.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Acknowledge alarms' }).click()
    const dialog = page.getByRole('dialog', { name: 'Acknowledge this alarm' })
    await dialog.getByText('Too fast, Live pump').waitFor()
    await dialog.getByLabel('Comment').fill('Valve <b>stuck</b>')
    await dialog.getByRole('button', { name: 'Acknowledge', exact: true }).click()
    await row.getByText('Acknowledged', { exact: true }).waitFor()
    await row.click()
    await page.getByRole('heading', { level: 1, name: 'Too fast' }).waitFor()
    await page.getByText('Valve <b>stuck</b>').waitFor()
    await page.getByText('Administrator').waitFor()
    await page.getByText('Still active').waitFor()
    await sendValues(world.api, 'pump-0001', { pressure: 10 })
    await page.getByText(/It was active for/).waitFor()
    await page.getByRole('figure', { name: 'Values around the alarm Too fast' }).waitFor()
    await page.getByRole('link', { name: 'Alarms', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Alarms' }).waitFor()
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('menuitemradio', { name: 'Cleared alarms' }).click()
    await page
      .getByRole('row', { name: /Too fast/ })
      .getByText('Valve <b>stuck</b>')
      .waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the messages of an activation say why they did not leave', async () => {
    await using guarded = await world.openSignedIn(`/alarms/${made.alarmStatusId}?tab=deliveries`)
    const { page } = guarded
    await page
      .getByRole('row', { name: /Administrator/ })
      .getByRole('button', { name: 'Why?' })
      .click()
    const panel = page.getByRole('dialog')
    await panel.getByText('This installation has no mail server or SMS gateway.').waitFor()
    await panel.getByText('Pump 7 is hot').waitFor()
    await panel.getByText(/^It has 95.5/).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a viewer acknowledges, but does not see the messages; an unknown alarm is not found', async () => {
    await using guarded = await openAsViewer(world, `/alarms/${made.alarmStatusId}?tab=deliveries`)
    const { page } = guarded
    await page.getByText(/You may not see the messages of/).waitFor()
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).waitFor()
    await guarded.open('/alarms/00000000-0000-4000-8000-000000000000')
    await page.getByRole('heading', { name: 'This does not exist, or you may not see it' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('an alarm that ends while its page loads is shown with its end', async () => {
    await makeAsset(world.api, 'brief', 'Brief pump', undefined)
    await world.api('POST', '/v1/assets/brief/bind', { autobindRemoteInstanceIds: ['hostile-0'] })
    const readOpen = () => world.api('GET', '/v1/alarms/status/entity/brief')
    for (const temperature of [20, 99]) await sendValues(world.api, 'hostile-0', { temperature })
    await expect.poll(readOpen).toHaveLength(1)
    const [{ alarmStatusId }] = await readOpen()
    await world.api('PUT', `/v1/alarms/status/acknowledge/${alarmStatusId}`)
    await using guarded = await world.openSignedIn('/alarms')
    const { page } = guarded
    // The page follows the alarm once it has it, which is after the end.
    await page.route(
      `**/v1/alarms/status/${alarmStatusId}`,
      async (route) => {
        const response = await route.fetch()
        await sendValues(world.api, 'hostile-0', { temperature: 20 })
        await expect.poll(readOpen).toEqual([])
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    await guarded.open(`/alarms/${alarmStatusId}`)
    await page.getByText(/It was active for/).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the pages are shown in German', async () => {
    await using guarded = await world.openSignedIn(`/alarms/${made.alarmStatusId}`)
    const { page } = guarded
    await page.getByText('What happened').waitFor()
    await chooseGerman(page)
    await page.getByText('Was geschah').waitFor()
    await page.getByRole('button', { name: 'Quittieren' }).waitFor()
    expect(guarded.problems).toEqual([])
  })
})
