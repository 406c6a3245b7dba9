import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeDashboard } from './harness/dashboards.ts'
import { findAxeProblems, findOverflow } from './harness/find-axe-problems.ts'

const ATTRIBUTION = '© <b>Owner</b> of the tiles'
const TILE = `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256"><rect width="256" height="256" fill="#cde"/></svg>`

describe.skipIf(!hasBrowser())('tiles of maps', () => {
  const asked: { url: string; referer: string | undefined }[] = []
  let isAway = false
  let tiles: Server
  let world: TestConsole
  beforeAll(async () => {
    tiles = createServer(({ url = '', headers }, response) => {
      asked.push({ url, referer: headers.referer })
      if (isAway) return void response.writeHead(503).end()
      response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(TILE)
    }).listen(0, '127.0.0.1')
    await once(tiles, 'listening')
    const { port } = tiles.address() as AddressInfo
    world = await startConsole({
      GANGWAY_MAP_TILES: `http://127.0.0.1:${port}/{z}/{x}/{y}.svg`,
      GANGWAY_MAP_ATTRIBUTION: ATTRIBUTION,
    })
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    tiles?.closeAllConnections()
    tiles?.close()
  })

  test('the map of the world has the tiles of the operator, and the outline where they are missing [docs/console#map-tiles]', async () => {
    const widget = {
      id: 'map',
      kind: 'map',
      title: 'Sites',
      position: { x: 0, y: 0, w: 12, h: 10 },
      options: { markers: [{ assetId: 'pump-7', label: 'Zurich', latitude: 47.38, longitude: 8.54 }] },
    }
    const id = await makeDashboard(world, { displayName: 'Sites', data: { version: 1, widgets: [widget] } })
    await using guarded = await world.openSignedIn(`/dashboards/${id}`)
    const { page } = guarded
    const map = page.getByRole('article', { name: 'Sites' })
    await map.getByText(ATTRIBUTION).waitFor()
    const countDrawn = () =>
      map
        .locator('img')
        .evaluateAll((all) => (all as HTMLImageElement[]).filter((img) => img.naturalWidth > 0).length)
    await expect.poll(countDrawn).toBeGreaterThan(3)
    expect(asked.every(({ url }) => /^\/\d+\/\d+\/\d+\.svg$/.test(url))).toBe(true)
    expect(new Set(asked.map(({ referer }) => referer))).toEqual(new Set([`${world.url}/`]))
    const zoomOf = (url: string) => Number(url.split('/')[1])
    const before = Math.max(...asked.map(({ url }) => zoomOf(url)))
    await map.getByRole('button', { name: 'Zoom in' }).click()
    await expect.poll(() => Math.max(...asked.map(({ url }) => zoomOf(url)))).toBe(before + 1)
    await expect.poll(() => findAxeProblems(page)).toEqual([])
    expect(await findOverflow(page)).toEqual([])
    isAway = true
    await map.getByRole('button', { name: 'Zoom in' }).click()
    const note = map.getByText(/some tiles of the map could not be loaded/)
    await note.waitFor()
    isAway = false
    const drawn = await countDrawn()
    await page.evaluate(() => window.dispatchEvent(new Event('online')))
    await expect.poll(() => note.count()).toBe(0)
    await expect.poll(countDrawn).toBeGreaterThan(drawn)
    // Nothing but the tiles was loaded from elsewhere.
    const others = guarded.problems.filter(
      (problem) => !/left the origin: .*\/\d+\/\d+\/\d+\.svg$/.test(problem),
    )
    expect(others).toEqual([])
  })
})
