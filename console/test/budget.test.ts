import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const dist = new URL('../dist/', import.meta.url)

interface Chunk {
  file: string
  isEntry?: boolean
  imports?: string[]
  src?: string
}

const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8')) as Record<
  string,
  Chunk
>

/** The script and what it imports at once; what it loads later is not counted. */
function listChunks(key: string, seen = new Set<string>()): Set<string> {
  if (seen.has(key)) return seen
  seen.add(key)
  for (const imported of manifest[key]!.imports ?? []) listChunks(imported, seen)
  return seen
}

const gzipBytes = (keys: Iterable<string>) =>
  [...keys]
    .map((key) => manifest[key]!.file)
    .filter((file) => file.endsWith('.js'))
    .reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, dist))).length, 0)

const entry = Object.keys(manifest).find((key) => manifest[key]!.isEntry)!
const atFirst = listChunks(entry)

/** What every signed-in page loads at once beside the entry. */
const words = ['src/words/en/common.ts', 'src/words/en/shell.ts']

test('the first load, with its first page, is at most 200 kB of JavaScript', () => {
  const home = listChunks('src/pages/home/Home.tsx', new Set([...atFirst, ...words]))
  expect(gzipBytes(home)).toBeLessThanOrEqual(200_000)
})

test.each(Object.keys(manifest).filter((key) => key.startsWith('src/pages/')))(
  'the route %s adds at most 150 kB',
  (key) => {
    const added = [...listChunks(key)].filter((one) => !atFirst.has(one))
    expect(gzipBytes(added)).toBeLessThanOrEqual(150_000)
  },
)
