/** The first page for newcomers names each folder of the sources, and no others. */
import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const root = new URL('../../..', import.meta.url)

test('ARCHITECTURE.md lists every folder of server/src', async () => {
  const page = await readFile(new URL('ARCHITECTURE.md', root), 'utf8')
  const table = page.slice(page.indexOf('| folder in `server/src`'))
  const firstCells = table.slice(0, table.indexOf('\n\n')).matchAll(/^\| ([^|]*) \|/gm)
  const listed = [...firstCells].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([a-z-]+)\/`/g)].map(([, name]) => name),
  )
  const entries = await readdir(new URL('server/src', root), { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  expect(listed.toSorted()).toEqual(folders.toSorted())
})
