import { randomBytes } from 'node:crypto'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { emptyDatabase, type TestDatabase } from '../../test/harness/database.ts'
import { testLog as log } from '../../test/harness/log.ts'
import { type TemporaryDirectory, temporaryDirectory } from '../../test/harness/temporary-directory.ts'
import { createAccessTokens } from '../access/sign-in/access-tokens.ts'
import { createSealer } from '../lib/seal.ts'
import { keyFileText, secretKeyFile } from '../lib/secret-key.ts'
import { startEmbeddedDatabase } from './embedded/start.ts'
import { type DatabaseOptions, openDatabase } from './open.ts'
import { preparedPrograms } from '../../test/harness/prepared-programs.ts'

const settings = { fsync: 'off' }
const programs = preparedPrograms()
let directory: TemporaryDirectory
beforeEach(async () => {
  directory = await temporaryDirectory()
})
afterEach(() => directory[Symbol.asyncDispose]())

/** Starts and stops like a server that seals something. @returns its secret keys */
async function useOnce(options: Partial<DatabaseOptions> = {}): Promise<Buffer[]> {
  await using database = await openDatabase({ dataDir: directory.path, log, settings, programs, ...options })
  await createAccessTokens(database.db, createSealer(database.keys))
  return database.keys
}
const remove = (name: string) => rm(join(directory.path, name))

test('a database without its secret key is refused, and gets no new key', async () => {
  const [key] = await useOnce()
  await remove('secret.key')
  await expect(useOnce()).rejects.toThrow('secret.key')
  // Without the sealed password, which would reveal a wrong key earlier, as in an older version.
  await remove('postgres.password')
  await expect(useOnce()).rejects.toThrow('The secret key of this database is missing.')
  const left = await readdir(directory.path)
  expect(left).not.toContain('secret.key')
  expect(left).not.toContain('postgres.password')
  expect(await useOnce({ secretKey: key })).toEqual([key])
})

test('a wrong secret key is refused; afterwards the right one opens the database', async () => {
  const keys = await useOnce()
  const wrong = keyFileText([randomBytes(32)])
  await writeFile(secretKeyFile(directory.path), wrong)
  await expect(useOnce()).rejects.toThrow('The secret key does not open')
  await remove('postgres.password')
  await expect(useOnce()).rejects.toThrow('is not the secret key of this database')
  await expect(useOnce({ secretKey: randomBytes(32) })).rejects.toThrow(
    'GANGWAY_SECRET_KEY is not the secret key',
  )
  await writeFile(secretKeyFile(directory.path), keyFileText(keys))
  expect(await useOnce()).toEqual(keys)
})

test('a database that is missing beside its secret key is not replaced by an empty one unless requested', async () => {
  const keys = await useOnce()
  await rename(join(directory.path, 'postgres'), join(directory.path, 'unmounted'))
  const before = await readdir(directory.path)
  await expect(useOnce()).rejects.toThrow(/is gone, though .*secret\.key is there.* GANGWAY_NEW_DATABASE=yes/)
  expect(await readdir(directory.path)).toEqual(before)
  // If the key comes from the environment, the stored password reveals a wrong one.
  await rename(secretKeyFile(directory.path), join(directory.path, 'moved.key'))
  await expect(useOnce({ secretKey: keys[0] })).rejects.toThrow(
    /is gone, though .*postgres\.password is there/,
  )
  await rename(join(directory.path, 'moved.key'), secretKeyFile(directory.path))

  expect(await useOnce({ newDatabase: true })).toEqual(keys)
  expect(await useOnce()).toEqual(keys)
})

test('a first start that was interrupted before it made a secret key can be repeated', async () => {
  await (
    await startEmbeddedDatabase({ dataDir: directory.path, log, settings, programs })
  )[Symbol.asyncDispose]()
  expect(await useOnce()).toHaveLength(1)
})

const external = async (
  use: (
    open: (options?: Partial<DatabaseOptions>) => Promise<Buffer[]>,
    database: TestDatabase,
  ) => Promise<void>,
) => {
  await using database = await emptyDatabase()
  await use((options) => useOnce({ databaseUrl: database.url, ...options }), database)
}

test('DATABASE_URL: without its secret key or with a wrong one nothing is migrated', () =>
  external(async (open, { pool }) => {
    const keys = await open()
    const last = 'select max(number) from schema_migrations'
    await pool.query(`delete from schema_migrations where number = (${last})`)
    const before = (await pool.query(last)).rows
    await remove('secret.key')
    await expect(open()).rejects.toThrow('The secret key of this database is missing.')
    await expect(open({ secretKey: randomBytes(32) })).rejects.toThrow(
      'GANGWAY_SECRET_KEY is not the secret key',
    )
    expect((await pool.query(last)).rows).toEqual(before)
    expect(await readdir(directory.path)).toEqual([])
    expect(keys).toHaveLength(1)
  }))

test('DATABASE_URL: an empty database beside a secret key is refused unless a new start is requested', () =>
  external(async (open, { pool }) => {
    const keys = [randomBytes(32)]
    await writeFile(secretKeyFile(directory.path), keyFileText(keys))
    await expect(open()).rejects.toThrow(/The database is empty, though .*GANGWAY_NEW_DATABASE=yes/)
    expect(
      (await pool.query(`select count(*)::int as tables from pg_tables where schemaname = 'public'`)).rows,
    ).toEqual([{ tables: 0 }])
    expect(await open({ newDatabase: true })).toEqual(keys)
    expect(await open()).toEqual(keys)
  }))

test('DATABASE_URL: a new database with a key from the environment is a first start', () =>
  external(async (open) => {
    const secretKey = randomBytes(32)
    expect(await open({ secretKey })).toEqual([secretKey])
  }))
