/** How the start scripts determine, without the compiler, whether the output is up to date with the sources. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TemporaryDirectory, temporaryDirectory } from '../harness/temporary-directory.ts'

// A script of the repository, not of the server's program.
const script = '../../../scripts/build-record.mjs'
const { digestInputs, isBuilt, isCurrent, withReferences, writeRecord } = (await import(script)) as {
  digestInputs(folder: string, others?: string): string
  isBuilt(folder: string): boolean
  isCurrent(folder: string, others?: string): boolean
  withReferences(folders: string[]): string[]
  writeRecord(folder: string, sources: string): void
}

let root: TemporaryDirectory
let folder: string
const write = (name: string, text: string) => writeFile(join(root.path, name), text)

beforeEach(async () => {
  root = await temporaryDirectory()
  folder = join(root.path, 'server')
  for (const made of ['server/src/deep', 'server/dist', 'bench'])
    await mkdir(join(root.path, made), { recursive: true })
  await write('tsconfig.base.json', '{}')
  await write('server/tsconfig.json', '{}')
  await write('bench/tsconfig.json', '{"references": [{"path": "../server"}]}')
  await write('server/src/main.ts', 'one')
  await write('server/src/deep/part.ts', 'two')
  await write('server/src/main.test.ts', 'a test')
  await write('server/dist/.tsbuildinfo', 'notes')
})
afterEach(() => root[Symbol.asyncDispose]())

test('output without a record is not built, and with one it is current', () => {
  expect([isBuilt(folder), isCurrent(folder)]).toEqual([false, false])
  writeRecord(folder, digestInputs(folder))
  expect([isBuilt(folder), isCurrent(folder)]).toEqual([true, true])
})

test.each<[string, () => Promise<void>]>([
  ['a changed source', () => write('server/src/deep/part.ts', 'other')],
  ['a new source', () => write('server/src/new.ts', '')],
  ['a source that is gone', () => rm(join(folder, 'src/deep/part.ts'))],
  [
    'a source that was renamed',
    () => rm(join(folder, 'src/main.ts')).then(() => write('server/src/man.ts', 'one')),
  ],
  ['other options of the compiler', () => write('server/tsconfig.json', '{ }')],
  ['other options of all workspaces', () => write('tsconfig.base.json', '{ }')],
  ['a compiler that was started by hand', () => write('server/dist/.tsbuildinfo', 'other notes')],
  ['output that is gone', () => rm(join(folder, 'dist'), { recursive: true })],
])('%s makes the output stale', async (_name, change) => {
  writeRecord(folder, digestInputs(folder))
  await change()
  expect(isCurrent(folder)).toBe(false)
})

test('tests, files beside the sources and times of files do not', async () => {
  writeRecord(folder, digestInputs(folder))
  await write('server/src/main.test.ts', 'another test')
  await write('server/package.json', '{}')
  await write('server/src/main.ts', 'one')
  expect(isCurrent(folder)).toBe(true)
})

test('other versions of packages that are part of the output make it stale', () => {
  writeRecord(folder, digestInputs(folder, 'one 1.0.0'))
  expect(['one 1.0.0', 'one 1.0.1'].map((packages) => isCurrent(folder, packages))).toEqual([true, false])
})

test('a source that changes while the compiler runs makes the output stale', async () => {
  const before = digestInputs(folder)
  await write('server/src/main.ts', 'changed')
  writeRecord(folder, before)
  expect(isCurrent(folder)).toBe(false)
})

test('output that came without its sources, as in an image, is current', async () => {
  for (const gone of ['tsconfig.json', 'src']) await rm(join(folder, gone), { recursive: true })
  expect(isCurrent(folder)).toBe(true)
})

test('a workspace depends on those that it references', () => {
  expect(withReferences([join(root.path, 'bench')])).toEqual([join(root.path, 'bench'), folder])
})
