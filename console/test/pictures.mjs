// Takes the screenshots of the README and the guide: `npm run docs:pictures`, or some of them by name: `npm run
// docs:pictures -- home`. It starts a server with the fleet of harness/picture-fleet.mjs; harness/picture-list.mjs
// lists the pages.
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { launchBrowser, openContext, signIn, untilSettled } from './harness/browser.mjs'
import { makeApi } from './harness/fixtures.mjs'
import { makeFleet } from './harness/picture-fleet.mjs'
import { pictures } from './harness/picture-list.mjs'
import { startServer } from './harness/start-server.mjs'

const folder = new URL('../../docs/pictures/', import.meta.url).pathname
const administrator = { email: 'admin@example.com', password: 'correct horse battery' }
const looks = {
  light: { width: 1280, height: 800, scheme: 'light' },
  dark: { width: 1280, height: 800, scheme: 'dark' },
  phone: { width: 390, height: 780, scheme: 'light' },
}
const MOST_BYTES = 200_000
const MOST_BYTES_IN_ALL = 2_000_000

const wanted = process.argv.slice(2)
const server = await startServer(administrator)
const browser = await launchBrowser()
const disconnect = await makeFleet(await makeApi(server.url, administrator), server.mqtt)
try {
  await mkdir(folder, { recursive: true })
  for (const [look, variant] of Object.entries(looks)) await takePictures(look, variant)
  await requireSmall()
} finally {
  await disconnect()
  await browser.close()
  await server.stop()
}

async function takePictures(look, variant) {
  const shown = pictures.filter(
    ({ name, looks: taken }) => taken.includes(look) && (wanted.length === 0 || wanted.includes(name)),
  )
  if (shown.length === 0) return
  const context = await openContext(browser, variant)
  const page = await context.newPage()
  await page.goto(`${server.url}/console/`)
  await signIn(page, administrator)
  for (const { name, path, prepare } of shown) {
    await page.goto(`${server.url}/console${path}`)
    await page.locator('main#content').waitFor()
    await untilSettled(page)
    await prepare?.(page, server.url)
    await untilSettled(page)
    await save(context, page, `${name}-${look}.webp`)
  }
  await context.close()
}

/** Playwright writes PNG and JPEG only; WebP of the same quality is a third of the size. */
async function save(context, page, name) {
  const session = await context.newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  const bytes = Buffer.from(data, 'base64')
  await writeFile(join(folder, name), bytes)
  await session.detach()
  console.log(`${name}  ${Math.round(bytes.length / 1000)} kB`)
}

/** Limits the size, because every checkout includes the guide. */
async function requireSmall() {
  const names = await readdir(folder)
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size))
  const large = names.filter((_name, index) => sizes[index] > MOST_BYTES)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (large.length > 0) throw new Error(`Larger than 200 kB: ${large.join(', ')}`)
  if (total > MOST_BYTES_IN_ALL) throw new Error(`All pictures together have ${total} bytes`)
  console.log(`${names.length} pictures, ${Math.round(total / 1000)} kB`)
}
