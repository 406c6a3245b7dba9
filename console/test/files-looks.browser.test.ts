import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeFiles } from './harness/files.mjs'
import { findAppearanceProblems, findAppearanceProblemsOf } from './harness/find-appearance-problems.ts'

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

  test('axe finds nothing, and nothing sticks out', async () => {
    await using guarded = await world.openSignedIn('/files')
    const { page } = guarded
    const found = await findAppearanceProblemsOf(guarded, paths)
    await guarded.open('/files')
    await page.getByRole('button', { name: 'Upload files' }).click()
    await page.getByRole('dialog').waitFor()
    found.push(...(await findAppearanceProblems(page, 'upload')))
    expect(found).toEqual([])
    expect(guarded.problems).toEqual([])
  })
})
