// Screenshots of pages, in four looks: `npm run console:look -- /devices /devices/plant/pump-0000`. Without GANGWAY_URL it
// starts a server with some devices. GANGWAY_ADMIN_EMAIL and GANGWAY_ADMIN_PASSWORD name who signs in, LOOK_FOLDER says
// where the PNGs go.
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchBrowser, openContext, signIn, untilSettled, variants } from './harness/browser.mjs'
import { makeAlarms } from './harness/alarms.mjs'
import { makeAssets, sendHistory } from './harness/assets.mjs'
import { makeApi, makeDevices } from './harness/fixtures.mjs'
import { startServer } from './harness/start-server.mjs'

const administrator = {
  email: process.env.GANGWAY_ADMIN_EMAIL ?? 'admin@example.com',
  password: process.env.GANGWAY_ADMIN_PASSWORD ?? 'correct horse battery',
}
const folder = process.env.LOOK_FOLDER ?? join(tmpdir(), 'gangway-look')
const paths = process.argv.slice(2)

const server = process.env.GANGWAY_URL
  ? { url: process.env.GANGWAY_URL, stop: () => {} }
  : await startServer(administrator)
if (!process.env.GANGWAY_URL) await fill(await makeApi(server.url, administrator))
const browser = await launchBrowser()
try {
  await mkdir(folder, { recursive: true })
  await lookAt(paths.length > 0 ? paths : ['/devices'])
} finally {
  await browser.close()
  await server.stop()
}

async function lookAt(shown) {
  for (const variant of variants) {
    const context = await openContext(browser, variant)
    const page = await context.newPage()
    await page.goto(`${server.url}/console/`)
    await page.getByLabel('Email').waitFor()
    await shoot(page, 'sign-in', variant)
    await signIn(page, administrator)
    for (const path of shown) {
      await page.goto(`${server.url}/console${path}`)
      await page.locator('main#content').waitFor()
      await untilSettled(page)
      await shoot(page, path.slice(1).replaceAll(/[^\w.-]+/g, '-'), variant)
    }
    await context.close()
  }
}

async function shoot(page, name, variant) {
  const path = join(folder, `${name}-${variant.name}.png`)
  await page.screenshot({ path })
  console.log(path)
}

async function fill(api) {
  await makeDevices(api)
  await makeAssets(api)
  await sendHistory(api)
  await makeAlarms(api)
}
