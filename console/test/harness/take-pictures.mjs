// Opens the pages of picture-list.mjs on a server with the fleet of picture-fleet.mjs, for `docs:pictures` and `console:look`.
import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import { launchBrowser, openContext, signIn, untilSettled } from './browser.mjs'
import { makeApi } from './fixtures.mjs'
import { makeFleet } from './picture-fleet.mjs'
import { pictures } from './picture-list.mjs'
import { startServer } from './start-server.mjs'

const administrator = { email: 'admin@example.com', password: 'correct horse battery' }
const variants = {
  light: { width: 1280, height: 800, scheme: 'light' },
  dark: { width: 1280, height: 800, scheme: 'dark' },
  phone: { width: 390, height: 780, scheme: 'light' },
}

/**
 * @param choose whether a picture of the list is taken in a look
 * @param save is given the context, the page and `<name>-<look>`
 * @returns the pages that could not be shown, with the reason
 */
export async function takePictures(choose, save) {
  const mail = await startMailSink()
  const server = await startServer(administrator, {
    GANGWAY_SMTP_URL: mail.url,
    GANGWAY_MAIL_FROM: 'Gangway <gangway@example.com>',
  })
  const browser = await launchBrowser()
  const failures = []
  try {
    const { ids, disconnect } = await makeFleet(await makeApi(server.url, administrator), server.mqtt)
    for (const [look, variant] of Object.entries(variants)) {
      const chosen = pictures.filter((picture) => choose(picture, look))
      if (chosen.length === 0) continue
      const context = await openContext(browser, variant)
      context.setDefaultTimeout(30_000)
      const page = await context.newPage()
      await page.goto(`${server.url}/console/`)
      await signIn(page, administrator)
      for (const { name, path, prepare } of chosen)
        try {
          await page.goto(`${server.url}/console${typeof path === 'string' ? path : path(ids)}`)
          await page.locator('main#content').waitFor()
          await untilSettled(page)
          await prepare?.(page, { url: server.url, ids, look })
          await untilSettled(page)
          await page.waitForFunction(() => document.querySelector('[data-chart-loads]') === null)
          await save(context, page, `${name}-${look}`)
        } catch (error) {
          failures.push(`${name}-${look}: ${error.message}`)
          console.error(failures.at(-1))
        }
      await context.close()
    }
    await disconnect()
  } finally {
    await browser.close()
    await server.stop()
    await mail.stop()
  }
  return failures
}

/** Accepts every mail and keeps none. */
async function startMailSink() {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, _session, done) => stream.resume().once('end', () => done()),
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address()
  return { url: `smtp://127.0.0.1:${port}`, stop: () => new Promise((resolve) => server.close(resolve)) }
}
