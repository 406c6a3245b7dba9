import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { platformDatabase, type TestDatabase } from '../../server/test/harness/database.ts'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeDashboard } from './harness/dashboards.ts'
import { hostileNames } from './harness/fixtures.mjs'

describe.skipIf(!hasBrowser())('dashboards that another server or another hand wrote', () => {
  let database: TestDatabase
  let world: TestConsole
  beforeAll(async () => {
    database = await platformDatabase()
    world = await startConsole({ DATABASE_URL: database.url })
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  test('widgets of unknown kinds and of wrong form are named, and stay when others are saved', async () => {
    const at = (y: number) => ({ x: 0, y, w: 6, h: 3 })
    const note = { id: 'note', kind: 'text', title: 'Note', position: at(0), options: { text: 'Hello' } }
    const stored = [
      note,
      { id: 'new', kind: 'hologram', title: hostileNames[0], position: at(3), options: { depth: 3 } },
      { id: 'chart', kind: 'lineChart', title: 'Wrong', position: at(6), options: { signals: [null] } },
      { id: 'flat', kind: 'text', title: 'Without a place', options: { text: 'x' } },
      null,
    ]
    const id = await makeDashboard(world, { displayName: 'Newer', data: { version: 1, widgets: [note] } })
    const data = { version: 1, widgets: stored }
    await database.pool.query('update dashboards set data = $2 where id = $1', [id, data])
    await using guarded = await world.openSignedIn(`/dashboards/${id}`)
    const { page } = guarded
    await page.getByText('1 widget is of a kind that this console does not know.').waitFor()
    await page.getByText(`${hostileNames[0]} (hologram)`).waitFor()
    await page.getByText('Without a place (position), #5 (no object)').waitFor()
    await page.getByRole('article', { name: 'Wrong' }).getByText('No signal is chosen.').waitFor()
    await page.getByRole('button', { name: 'Edit dashboard' }).click()
    await page.getByRole('button', { name: 'Widget Note' }).press('Enter')
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Changed')
    await page.getByText('Without a place (position), #5 (no object)').waitFor()
    await page.getByRole('button', { name: 'Save dashboard' }).click()
    // The editor shows the change before it is saved.
    await page.getByRole('button', { name: 'Edit dashboard' }).waitFor()
    await page.getByRole('article', { name: 'Note' }).getByText('Changed').waitFor()
    const { data: saved } = await world.api('GET', `/v1/dashboards/${id}`)
    const changed = { ...note, options: { text: 'Changed' } }
    expect(saved.widgets).toHaveLength(5)
    expect(saved.widgets).toEqual(expect.arrayContaining([changed, ...stored.slice(1)]))
    expect(guarded.problems).toEqual([])
  })

  test('a dashboard without a widget that can be drawn names those that cannot, also on a screen', async () => {
    const id = await makeDashboard(world, { displayName: 'Foreign' })
    const data = {
      version: 1,
      widgets: [{ id: 'flat', kind: 'text', title: 'Flat', options: { text: 'x' } }],
    }
    await database.pool.query('update dashboards set data = $2 where id = $1', [id, data])
    await using guarded = await world.openSignedIn(`/dashboards/${id}`)
    await guarded.page.getByText('Flat (position)').waitFor()
    const body = { displayName: 'Screen', expiresAt: '2100-01-01T00:00:00Z' }
    const { token } = await world.api('POST', `/v1/dashboards/${id}/api-tokens`, body)
    await using screen = await world.openPage()
    await screen.open(`/kiosk/${id}#token=${token}`)
    await screen.page.getByText('Flat (position)').waitFor()
    expect([...guarded.problems, ...screen.problems]).toEqual([])
  })

  test('a draft that cannot be drawn leaves the way to its JSON', async () => {
    const widget = { id: 'a', kind: 'map', title: 'Sites', position: { x: 0, y: 0, w: 6, h: 6 }, options: {} }
    const id = await makeDashboard(world, { displayName: 'Broken', data: { version: 1, widgets: [widget] } })
    const wrong = { ...widget, options: { markers: [null], signals: { x: 1 } } }
    await world.api('PUT', `/v1/dashboards/${id}/draft`, {
      version: 1,
      data: { version: 1, widgets: [wrong, 5] },
    })
    await using guarded = await world.openSignedIn(`/dashboards/${id}/edit?widget=a`)
    const { page } = guarded
    await page.getByText('#2 (no object)').waitFor()
    await page.getByText('The options of this widget have a wrong form.').waitFor()
    await page.getByRole('article', { name: 'Sites' }).getByText('This widget could not be shown.').waitFor()
    await page.getByRole('button', { name: 'Show JSON' }).click()
    await page.getByRole('textbox', { name: 'Data of the dashboard' }).waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByRole('button', { name: 'Show board' }).click()
    await expect.poll(() => page.getByText('#2 (no object)').count()).toBe(0)
  })
})
