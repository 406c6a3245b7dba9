import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContext } from 'playwright-core'
import { expect, test } from 'vitest'
import { signIn } from './harness/browser.mjs'
import { administrator, hasBrowser, startConsole } from './harness/console.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** English in quotation marks, so that no word has to be translated. */
const pseudoLanguage = `
const english = import.meta.glob('../en/*.ts', { eager: true, import: 'default' })
const mark = (words) => {
  if (typeof words === 'string') return '«' + words + '»'
  if (typeof words === 'function') return (...values) => mark(words(...values))
  if (Array.isArray(words)) return words.map(mark)
  if (typeof words !== 'object' || words === null) return words
  return Object.fromEntries(Object.entries(words).map(([name, one]) => [name, mark(one)]))
}
const nameArea = (path) => /([^/]+)\\.ts$/.exec(path)[1]
export default Object.fromEntries(Object.entries(english).map(([path, words]) => [nameArea(path), mark(words)]))
`

/** Bundles a copy of the console with one more file. @returns the folder of the bundle */
async function bundleWith(directory: string, file: string, text: string): Promise<string> {
  for (const name of ['index.html', 'package.json', 'public', 'src', 'vite.config.ts'])
    await cp(join(root, 'console', name), join(directory, name), { recursive: true })
  await writeFile(join(directory, file), text)
  const { build } = await import('vite')
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  try {
    await build({ root: directory, logLevel: 'error' })
  } finally {
    process.env.NODE_ENV = NODE_ENV
  }
  return join(directory, 'dist')
}

/** Answers the addresses of the console from another bundle than that of the server. */
async function serve(context: BrowserContext, url: string, bundle: string) {
  // Chromium does not take a page that it got from here for one of this machine.
  await context.grantPermissions(['local-network-access'])
  await context.route(`${url}/console/**`, (route) => {
    const path = join(bundle, new URL(route.request().url()).pathname.replace('/console/', ''))
    const isFile = /\.\w+$/.test(path) && existsSync(path)
    return route.fulfill({ path: isFile ? path : join(bundle, 'index.html') })
  })
}

test.skipIf(!hasBrowser())('a third language is one file', async () => {
  // Beside the console, so that the copy finds the packages and the client.
  const directory = await mkdtemp(join(root, '.third-language-'))
  try {
    const bundle = await bundleWith(directory, 'src/words/languages/eo.ts', pseudoLanguage)
    await using world = await startConsole()
    await using guarded = await world.openPage()
    const { page } = guarded
    await serve(guarded.context, world.url, bundle)
    await guarded.open('/devices')
    await signIn(page, administrator)
    await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Account and preferences' }).click()
    await page.getByRole('menuitemradio', { name: 'esperanto' }).click()
    await page.getByRole('heading', { name: '«Devices»', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: '«Devices»', exact: true }).waitFor()
    expect(await page.evaluate('document.documentElement.lang')).toBe('eo')
    expect(guarded.problems).toEqual([])
  } finally {
    await rm(directory, { recursive: true })
  }
})
