import { randomBytes } from 'node:crypto'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testLog as log } from '../../../test/harness/log.ts'
import { type TemporaryDirectory, temporaryDirectory } from '../../../test/harness/temporary-directory.ts'
import { createSealer } from '../../lib/seal.ts'
import type { Connection } from './connection.ts'
import { EmbeddedDatabaseError } from './error.ts'
import { run } from './run.ts'
import { startEmbeddedDatabase } from './start.ts'
import { preparedPrograms } from '../../../test/harness/prepared-programs.ts'

const settings = { fsync: 'off' }
const programs = preparedPrograms()
const sealer = createSealer([randomBytes(32)])

let directory: TemporaryDirectory
beforeEach(async () => {
  directory = await temporaryDirectory()
})
afterEach(() => directory[Symbol.asyncDispose]())

const start = (options = {}) =>
  startEmbeddedDatabase({ dataDir: directory.path, log, settings, programs, sealer, ...options })

async function query(connection: Partial<Connection>, sql: string) {
  const client = new Client(connection)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

const queryError = async (connection: Partial<Connection>) =>
  (await query(connection, 'select 1').catch((error: unknown) => error)) as Error & { code?: string }

test('the socket requires the password, for either role', async () => {
  await using database = await start()
  for (const connection of [database.connection, database.superuser]) {
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }])
    expect((await queryError({ ...connection, password: 'a guess' })).code).toBe('28P01')
    const { password: _password, ...without } = connection
    expect((await queryError(without)).message).toContain('password')
  }
})

test('the stored password is sealed and readable only by its owner, and opens the cluster at the next start', async () => {
  const file = join(directory.path, 'postgres.password')
  const first = await start()
  await first.keepPassword(sealer)
  const { password } = first.connection
  await first[Symbol.asyncDispose]()
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(file)).uid).toBe(process.getuid!())
  const text = await readFile(file, 'utf8')
  expect(text + Buffer.from(text, 'base64').toString('latin1')).not.toContain(password)

  await using second = await start()
  expect(second.connection.password).toBe(password)
  expect(second.isPasswordKept).toBe(true)
})

test('a cluster of an older version, which trusts its whole account, asks for a password after its next start', async () => {
  const old = await start()
  await query(old.connection, 'create table kept as select 1 as one')
  await query(old.superuser, 'alter role gangway password null')
  await query(old.superuser, 'alter role postgres password null')
  await old[Symbol.asyncDispose]()
  const rules = join(directory.path, 'postgres/pg_hba.conf')
  await writeFile(rules, 'local all all trust\n')

  await using database = await start()
  expect(await query(database.connection, 'select * from kept')).toEqual([{ one: 1 }])
  expect((await queryError({ ...database.connection, password: 'x' })).code).toBe('28P01')
  expect(await readFile(rules, 'utf8')).not.toContain('trust')
})

test('a lost password is replaced', async () => {
  const first = await start()
  await first.keepPassword(sealer)
  await first[Symbol.asyncDispose]()
  await rm(join(directory.path, 'postgres.password'))
  await using second = await start()
  expect(second.connection.password).not.toBe(first.connection.password)
  expect(await query(second.connection, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a wrong or missing secret key is refused before PostgreSQL starts; both keys of a rotation open it', async () => {
  const next = createSealer([randomBytes(32)])
  const first = await start()
  await first.keepPassword(next, sealer)
  await first[Symbol.asyncDispose]()
  for (const each of [sealer, next]) await (await start({ sealer: each }))[Symbol.asyncDispose]()

  const before = await stat(join(directory.path, 'postgres'))
  const other = start({ sealer: createSealer([randomBytes(32)]) })
  await expect(other).rejects.toThrow(EmbeddedDatabaseError)
  await expect(other).rejects.toThrow('The secret key does not open')
  await expect(start({ sealer: undefined })).rejects.toThrow('secret key of the database')
  expect((await stat(join(directory.path, 'postgres'))).mtimeMs).toBe(before.mtimeMs)
})

test.runIf(process.getuid?.() === 0)('another process of PostgreSQL’s account is refused', async () => {
  await using database = await start()
  const { uid, gid } = await stat(join(directory.path, 'postgres'))
  const { host, port, user } = database.connection
  const script = `
    const net = require('node:net').connect('${join(host, `.s.PGSQL.${port}`)}')
    const body = Buffer.from('\\0\\x03\\0\\0user\\0${user}\\0database\\0gangway\\0\\0', 'latin1')
    net.write(Buffer.concat([Buffer.from([0, 0, 0, body.length + 4]), body]))
    net.on('data', (answer) => { console.log(String.fromCharCode(answer[0]), answer.readInt32BE(5)); process.exit() })`
  const { output } = await run(process.execPath, ['-e', script], { uid, gid })
  // R, 10: "authenticate by SASL"; 0 would be "you are in".
  expect(output).toBe('R 10')
})
