import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { untilSettled, variants } from './harness/browser.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeFiles } from './harness/files.mjs'
import { findAxeProblems, findOverflow } from './harness/find-axe-problems.ts'

describe.skipIf(!hasBrowser())('appearance of the file pages', () => {
  let world: TestConsole
  let paths: string[]
  beforeAll(async () => {
    world = await startConsole()
    const { logo, manual, documents, themes } = await makeFiles(world.api)
    paths = [
      '/files',
      '/files?search=absent',
      `/files/${logo}`,
      `/files/${logo}?tab=uses`,
      `/files/${manual}`,
      `/files/${manual}?tab=details`,
      `/files/${manual}?tab=history`,
      ...documents.map((id) => `/files/${id}`),
      `/files/${themes[0]}`,
      `/files/${themes[0]}?tab=content`,
    ]
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.each(variants)('axe finds nothing, and nothing sticks out: $name', async (variant) => {
    await using guarded = await world.openSignedIn('/files', variant)
    const { page } = guarded
    const found: Record<string, string[]> = {}
    for (const path of paths) {
      await guarded.open(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await untilSettled(page)
      found[path] = [...(await findAxeProblems(page)), ...(await findOverflow(page))]
    }
    await guarded.open('/files')
    await page.getByRole('button', { name: 'Upload files' }).click()
    await page.getByRole('dialog').waitFor()
    found.upload = await findAxeProblems(page)
    expect(Object.entries(found).filter(([, problems]) => problems.length > 0)).toEqual([])
    expect(guarded.problems).toEqual([])
  })
})
