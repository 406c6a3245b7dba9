// Screenshots of pages, in four looks: `npm run console:look -- /devices /devices/plant/pump-0000`. Without GANGWAY_URL it
// starts a server with some devices. GANGWAY_ADMIN_EMAIL and GANGWAY_ADMIN_PASSWORD name who signs in, LOOK_FOLDER says
// where the PNGs go. Names of harness/picture-list.mjs, or nothing for all of them, are taken as a whole in light, dark
// and phone, with the fleet of the guide.
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchBrowser, openContext, signIn, untilSettled, variants } from './harness/browser.mjs'
import { makeAlarms } from './harness/alarms.mjs'
import { makeAssets, sendHistory } from './harness/assets.mjs'
import { makeApi, makeDevices } from './harness/fixtures.mjs'
import { startServer } from './harness/start-server.mjs'
import { takePictures } from './harness/take-pictures.mjs'

const administrator = {
  email: process.env.GANGWAY_ADMIN_EMAIL ?? 'admin@example.com',
  password: process.env.GANGWAY_ADMIN_PASSWORD ?? 'correct horse battery',
}
const folder = process.env.LOOK_FOLDER ?? join(tmpdir(), 'gangway-look')
const paths = process.argv.slice(2)

await mkdir(folder, { recursive: true })
await (paths.some((path) => path.startsWith('/')) ? lookAtPaths() : lookAtPictures())

/** @throws if a page could not be shown */
async function lookAtPictures() {
  const failures = await takePictures(
    ({ name }) => paths.length === 0 || paths.includes(name),
    (_context, page, name) => page.screenshot({ path: join(folder, `${name}.png`), fullPage: true }),
  )
  console.log(folder)
  if (failures.length > 0) throw new Error(`Not taken:\n${failures.join('\n')}`)
}

async function lookAtPaths() {
  const server = process.env.GANGWAY_URL
    ? { url: process.env.GANGWAY_URL, stop: () => {} }
    : await startServer(administrator)
  if (!process.env.GANGWAY_URL) await fill(await makeApi(server.url, administrator))
  const browser = await launchBrowser()
  try {
    for (const variant of variants) await lookAt(browser, server.url, variant)
  } finally {
    await browser.close()
    await server.stop()
  }
}

async function lookAt(browser, url, variant) {
  const context = await openContext(browser, variant)
  const page = await context.newPage()
  await page.goto(`${url}/console/`)
  await page.getByLabel('Email').waitFor()
  await shoot(page, 'sign-in', variant)
  await signIn(page, administrator)
  for (const path of paths) {
    await page.goto(`${url}/console${path}`)
    await page.locator('main#content').waitFor()
    await untilSettled(page)
    await shoot(page, path.slice(1).replaceAll(/[^\w.-]+/g, '-'), variant)
  }
  await context.close()
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
