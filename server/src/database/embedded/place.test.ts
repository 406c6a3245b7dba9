/** Directories of an embedded database if root starts the server and PostgreSQL's account cannot access everything. */
import { chmod, cp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testLog as log } from '../../../test/harness/log.ts'
import { temporaryDirectory } from '../../../test/harness/temporary-directory.ts'
import { DirectoryInUseError } from '../directory-lock.ts'
import { choosePlace } from './place.ts'
import { findPrograms, platformPackage } from './programs.ts'
import { run } from './run.ts'
import { startEmbeddedDatabase } from './start.ts'

const settings = { fsync: 'off' }
const links = async (packageDirectory: string) =>
  JSON.parse(await readFile(join(packageDirectory, 'native/pg-symlinks.json'), 'utf8')) as {
    target: string
  }[]

/**
 * The package as npm installs it without install scripts: its symbolic links are missing. Hard links are used, since it
 * has 60 MB.
 */
async function packageWithoutLinks(directory: string) {
  const { directory: from, version } = platformPackage()
  await run('cp', ['-al', from, join(directory, 'package')])
  const copy = { directory: join(directory, 'package'), version }
  for (const { target } of await links(copy.directory))
    await rm(join(copy.directory, target), { force: true })
  return copy
}

test('links that are missing in the package are created, also by two processes at once', async () => {
  await using directory = await temporaryDirectory()
  const programs = await packageWithoutLinks(directory.path)
  const place = await choosePlace(directory.path, log)
  const found = await Promise.all([findPrograms(place, log, programs), findPrograms(place, log, programs)])
  expect(found.map(({ majorVersion }) => majorVersion)).toEqual([18, 18])
  expect(found[0].postgres).toBe(join(programs.directory, 'native/bin/postgres'))
})

test('the error about a package that does not run here says what to do', async () => {
  await using directory = await temporaryDirectory()
  const programs = await packageWithoutLinks(directory.path)
  await rm(join(programs.directory, 'native/lib'), { recursive: true })
  const place = await choosePlace(directory.path, log)
  await expect(findPrograms(place, log, programs)).rejects.toThrow('Set DATABASE_URL')
})

describe.runIf(process.getuid?.() === 0)('as root', () => {
  test('files and programs go where PostgreSQL can reach them, and stay there', async () => {
    await using closed = await temporaryDirectory(0o700)
    await using open = await temporaryDirectory()
    const options = {
      dataDir: closed.path,
      log,
      settings,
      fallbackRoot: join(open.path, 'lib'),
      programs: await packageWithoutLinks(closed.path),
    }
    const first = await startEmbeddedDatabase(options)
    expect(first.directory).toMatch(join(open.path, 'lib', 'gangway-test-'))
    expect((await readdir(first.directory)).toSorted()).toEqual(
      ['gangway.lock', 'postgres', `postgresql-${options.programs.version}`].toSorted(),
    )
    await first[Symbol.asyncDispose]()

    // This holds even if the data directory has become accessible meanwhile.
    await chmod(closed.path, 0o755)
    await using second = await startEmbeddedDatabase(options)
    expect(second.directory).toBe(first.directory)

    // A copy of the data directory means the same files, which only one server may use.
    await using copied = await temporaryDirectory()
    await cp(join(closed.path, 'postgres-location'), join(copied.path, 'postgres-location'))
    await expect(startEmbeddedDatabase({ ...options, dataDir: copied.path })).rejects.toThrow(
      DirectoryInUseError,
    )
  })

  test('a missing fallback directory is not replaced by an empty database', async () => {
    await using closed = await temporaryDirectory(0o700)
    await using open = await temporaryDirectory()
    const place = await choosePlace(closed.path, log, open.path)
    await rm(place.directory, { recursive: true })
    await expect(choosePlace(closed.path, log, open.path)).rejects.toThrow('that directory is gone')
  })

  test('a data directory that has become inaccessible is refused, not replaced', async () => {
    await using directory = await temporaryDirectory()
    await (await startEmbeddedDatabase({ dataDir: directory.path, log, settings }))[Symbol.asyncDispose]()
    await chmod(directory.path, 0o700)
    await expect(choosePlace(directory.path, log)).rejects.toThrow(`cannot enter ${directory.path}`)
  })

  test('without an accessible directory the error says what to do', async () => {
    await using closed = await temporaryDirectory(0o700)
    await expect(choosePlace(closed.path, log, join(closed.path, 'lib'))).rejects.toThrow('chmod o+x')
  })
})
