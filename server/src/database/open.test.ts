import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { emptyDatabase, testDatabase } from '../../test/harness/database.ts'
import { testLog as log } from '../../test/harness/log.ts'
import { startSilentProxy } from '../../test/harness/silent-proxy.ts'
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts'
import { DirectoryInUseError } from './directory-lock.ts'
import { openDatabase } from './open.ts'
import { createPool } from './pool.ts'
import { holdServerLock, lockExclusively, serverLock, ServersRunningError } from '../nodes/server-lock.ts'
import { waitUntilAnswers } from './wait-until-answers.ts'
import { preparedPrograms } from '../../test/harness/prepared-programs.ts'

const database = await testDatabase()
afterAll(() => database[Symbol.asyncDispose]())

const settings = { fsync: 'off' }
const programs = preparedPrograms()

const holdersOfServerLock = async () =>
  (
    await database.pool.query(
      `select pid from pg_locks where locktype = 'advisory' and granted and mode = 'ShareLock' and objid = $1
         and database = (select oid from pg_database where datname = current_database())`,
      [serverLock],
    )
  ).rows.map(({ pid }) => pid as number)

test('with DATABASE_URL it migrates that database, also from two servers at once', async () => {
  await using empty = await emptyDatabase()
  await using directory = await temporaryDirectory()
  const open = () => openDatabase({ databaseUrl: empty.url, dataDir: directory.path, log })
  const servers = await Promise.all([open(), open()])
  for (const server of servers) {
    const { count } = await server.db
      .selectFrom('tenants')
      .select((each) => each.fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    expect(Number(count)).toBe(0)
    await server[Symbol.asyncDispose]()
  }
  expect(servers[0]!.keys).toEqual(servers[1]!.keys)
})

test('without DATABASE_URL it starts an embedded database in the data directory, which a second server must not use', async () => {
  await using directory = await temporaryDirectory()
  const open = () => openDatabase({ dataDir: directory.path, log, settings, programs })
  await using first = await open()
  expect((await first.pool.query('select count(*)::int from tenants')).rows).toEqual([{ count: 0 }])
  await expect(open()).rejects.toThrow(DirectoryInUseError)

  // A killed PostgreSQL is restarted, and the server prints nothing.
  const pid = (await readFile(join(directory.path, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]
  process.kill(Number(pid), 'SIGKILL')
  await vi.waitUntil(() => first.pool.query('select 1').catch(() => false))
})

test('a failed start leaves neither lock nor process behind', async () => {
  await using directory = await temporaryDirectory()
  const open = (more = {}) =>
    openDatabase({ dataDir: directory.path, log, settings: { ...settings, ...more }, programs })
  await expect(open({ max_connections: 'many' })).rejects.toThrow('max_connections')
  await using opened = await open()
  expect((await opened.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('dates are read as text, times as Date in UTC', async () => {
  const { rows } = await database.pool.query(
    `select '2026-02-03'::date as day, '2026-02-03T04:05:06Z'::timestamptz as at, 9007199254740993 as big, 1.10 as exact,
            current_setting('TimeZone') as zone`,
  )
  expect(rows).toEqual([
    {
      day: '2026-02-03',
      at: new Date('2026-02-03T04:05:06Z'),
      big: '9007199254740993',
      exact: '1.10',
      zone: 'UTC',
    },
  ])
})

test('it waits for an unreachable database, and not for one that refuses the connection', async () => {
  const absent = createPool({ connectionString: 'postgresql://nobody@127.0.0.1:9/none' }, log)
  await expect(waitUntilAnswers(absent, log, { forMs: 50 })).rejects.toThrow(
    'The database does not answer: connect ECONNREFUSED',
  )
  const refusing = createPool(
    { connectionString: `${database.url}`.replace(/gangway_test_\w+/, 'no_such_database') },
    log,
  )
  await expect(waitUntilAnswers(refusing, log)).rejects.toThrow(
    'The database refuses: database "no_such_database" does not exist',
  )
  await Promise.all([absent.end(), refusing.end()])
})

test('an offline command runs only while no server runs, and no server can start meanwhile', async () => {
  const connection = { connectionString: database.url }
  const server = await holdServerLock(connection, log)
  const other = await holdServerLock(connection, log)
  await expect(lockExclusively(database.pool)).rejects.toThrow(ServersRunningError)
  await server[Symbol.asyncDispose]()
  await expect(lockExclusively(database.pool)).rejects.toThrow(ServersRunningError)
  await other[Symbol.asyncDispose]()
  await vi.waitUntil(async () => (await holdersOfServerLock()).length === 0)

  const command = await lockExclusively(database.pool)
  await expect(holdServerLock(connection, log)).rejects.toThrow(ServersRunningError)
  await command[Symbol.asyncDispose]()
  await (await holdServerLock(connection, log))[Symbol.asyncDispose]()
})

test('a server that stops while it acquires its lock again releases it', async () => {
  await using proxy = await startSilentProxy(database.url)
  const server = await holdServerLock({ connectionString: proxy.url }, log)
  const connections = proxy.holdNew()
  proxy.refuseAll().back()
  await vi.waitUntil(() => proxy.count() === 2)
  const stopped = server[Symbol.asyncDispose]()
  connections.back()
  await stopped
  await expect.poll(holdersOfServerLock).toEqual([])
})

test('a server acquires its lock again after the connection was lost', async () => {
  await using server = await holdServerLock({ connectionString: database.url }, log)
  expect(server).toBeDefined()
  const [before] = await holdersOfServerLock()
  await database.pool.query('select pg_terminate_backend($1)', [before])
  await vi.waitUntil(async () => {
    const [now] = await holdersOfServerLock()
    return now !== undefined && now !== before
  })
})

test('only the owner can use the socket', async () => {
  await using directory = await temporaryDirectory()
  await using opened = await openDatabase({ dataDir: directory.path, log, settings, programs })
  const { host, port } = opened.connection
  expect((await stat(join(host!, `.s.PGSQL.${port}`))).mode & 0o777).toBe(0o700)
})
