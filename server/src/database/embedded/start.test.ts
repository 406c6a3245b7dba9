import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { testLog as log } from '../../../test/harness/log.ts'
import { temporaryDirectory } from '../../../test/harness/temporary-directory.ts'
import { EmbeddedDatabaseError } from './error.ts'
import type { Connection } from './connection.ts'
import { startEmbeddedDatabase } from './start.ts'
import { preparedPrograms } from '../../../test/harness/prepared-programs.ts'

const settings = { fsync: 'off' }
const programs = preparedPrograms()

async function query(connection: Connection, sql: string) {
  const client = new Client(connection)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

test('a commit is synced to disk, and connections are accepted only through the socket', async () => {
  await using directory = await temporaryDirectory()
  {
    await using database = await startEmbeddedDatabase({ dataDir: directory.path, log })
    const { connection } = database
    const show = async (name: string) => (await query(connection, `show ${name}`))[0][name]
    expect(await show('fsync')).toBe('on')
    expect(await show('synchronous_commit')).toBe('on')
    expect(await show('full_page_writes')).toBe('on')
    expect(await show('listen_addresses')).toBe('')
    expect((await stat(connection.host)).mode & 0o777).toBe(0o700)
    expect(
      await query(connection, 'select rolsuper, rolcreaterole from pg_roles where rolname = current_user'),
    ).toEqual([{ rolsuper: false, rolcreaterole: false }])
    expect(await query(connection, `select lower('ÄÖ') as low, 'a' > 'B' as bytes`)).toEqual([
      { low: 'äö', bytes: true },
    ])
    await query(connection, 'create table kept as select 1 as one')
  }
  await using again = await startEmbeddedDatabase({ dataDir: directory.path, log })
  expect(await query(again.connection, 'select * from kept')).toEqual([{ one: 1 }])
})

test.each(['with blanks, a comma and "quotes"', `${'deep-'.repeat(20)}/${'deeper-'.repeat(20)}`])(
  'runs in a directory %s',
  async (name) => {
    await using directory = await temporaryDirectory()
    const dataDir = join(directory.path, name)
    await mkdir(dataDir, { recursive: true })
    await using database = await startEmbeddedDatabase({ dataDir, log, settings, programs })
    expect(await query(database.connection, 'select 1 as one')).toEqual([{ one: 1 }])
    const { host } = database.connection
    await database[Symbol.asyncDispose]()
    const left = await readdir(host).catch(() => [])
    expect(left.filter((file) => file.startsWith('.s.'))).toEqual([])
  },
)

test('an interrupted initdb is repeated', async () => {
  await using directory = await temporaryDirectory()
  await mkdir(join(directory.path, 'postgres-new-halfdone'))
  await writeFile(join(directory.path, 'postgres-new-halfdone/PG_VERSION'), '18\n')
  await using database = await startEmbeddedDatabase({ dataDir: directory.path, log, settings })
  expect(await query(database.connection, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(await readdir(directory.path)).toEqual(['postgres'])
})

test('another major version and a wrong setting are refused with the reason', async () => {
  await using directory = await temporaryDirectory()
  const start = (more = {}) =>
    startEmbeddedDatabase({ dataDir: directory.path, log, settings: { ...settings, ...more }, programs })
  const refusal = async (more = {}) => (await start(more).catch((error: unknown) => error)) as Error
  const wrong = await refusal({ shared_buffers: 'much' })
  expect(wrong).toBeInstanceOf(EmbeddedDatabaseError)
  expect(wrong.message).toContain('invalid value for parameter "shared_buffers"')

  const versionFile = join(directory.path, 'postgres/PG_VERSION')
  expect(await readFile(versionFile, 'utf8')).toBe('18\n')
  await writeFile(versionFile, '17\n')
  const old = await refusal()
  expect(old).toBeInstanceOf(EmbeddedDatabaseError)
  expect(old.message).toContain('made by PostgreSQL 17, and this server brings PostgreSQL 18')
})

test.runIf(process.getuid?.() === 0)(
  'files that were restored by root get the owner that PostgreSQL needs',
  async () => {
    await using directory = await temporaryDirectory()
    await (
      await startEmbeddedDatabase({ dataDir: directory.path, log, settings, programs })
    )[Symbol.asyncDispose]()
    await using restored = await temporaryDirectory()
    await cp(directory.path, restored.path, { recursive: true })
    expect((await stat(join(restored.path, 'postgres'))).uid).toBe(0)
    await using database = await startEmbeddedDatabase({ dataDir: restored.path, log, settings, programs })
    expect(await query(database.connection, 'select 1 as one')).toEqual([{ one: 1 }])
  },
)
