/** Each page of the console is looked at by axe, and is opened where names are hostile. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const folder = import.meta.dirname
const routes = join(folder, '../src/routes')

/** Pages without names of others, with the reason. */
const withoutNames: Record<string, string> = {
  '/reset-password': 'shows only what its user types',
}

/** The paths of all pages, with `*` for each parameter. */
const pages = ['../router.tsx', ...readdirSync(routes)]
  .flatMap((name) => [...readFileSync(join(routes, name), 'utf8').matchAll(/ path: '([^']+)'/g)])
  .map(([, path]) => path!.replaceAll(/\$\w+/g, '*'))

interface TestFile {
  own: string
  /** The texts of the parts of the harness that it uses. */
  harness: string[]
  paths: string[]
}

const files: TestFile[] = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts') && name !== basename(import.meta.filename))
  .map((name) => {
    const own = readFileSync(join(folder, name), 'utf8')
    return { own, harness: readHarness(join(folder, name), own), paths: listPaths(own) }
  })

/** The parts of the harness that a test imports, except the one that defines the hostile names. */
function readHarness(file: string, text: string): string[] {
  return [...text.matchAll(/from '(\.[^']+)'/g)]
    .map(([, path]) => join(dirname(file), path!))
    .filter((path) => path.startsWith(folder) && !path.endsWith('fixtures.mjs'))
    .map((path) => readFileSync(path, 'utf8'))
}

/** The addresses in a text, with `*` for each part that is put in. */
function listPaths(text: string): string[] {
  const bases = new Map(
    [...text.matchAll(/const (\w+) = ['"`](\/[^'"`\s]*)['"`]/g)].map(([, name, path]) => [name!, path!]),
  )
  const resolved = text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => bases.get(name) ?? whole)
  return [...resolved.matchAll(/['"`](\/[^'"`\s]*)['"`]/g)].map(([, path]) =>
    path!.replaceAll(/\$\{[^}]*\}/g, '*').replace(/[?#].*/, ''),
  )
}

/** Whether a path is one of a page; a part that is put in may be any object, but not the name of another page. */
function matches(page: string, path: string): boolean {
  const [pageParts, parts] = [page.split('/'), path.split('/')]
  return (
    parts.length === pageParts.length &&
    pageParts.every((part, index) => (part === '*' ? parts[index] !== '' : part === parts[index]))
  )
}

/** Pages that no test of some kind opens. */
function findUnopened(isOfKind: (file: TestFile) => boolean): string[] {
  const paths = files.filter(isOfKind).flatMap((file) => file.paths)
  return pages.filter((page) => !paths.some((path) => matches(page, path)))
}

test('a test with axe opens each page', () => {
  expect(pages.length).toBeGreaterThan(70)
  const looks = /\bfind(Appearance|Axe)Problems/
  expect(findUnopened(({ own }) => looks.test(own))).toEqual([])
})

test('a test with hostile names opens each page, unless it has no names', () => {
  const makes = /\bhostile(Names)?\b|\bmakeDevices\(/
  const unopened = findUnopened(({ own, harness }) => [own, ...harness].some((text) => makes.test(text)))
  expect(unopened.filter((page) => !(page in withoutNames))).toEqual([])
})
