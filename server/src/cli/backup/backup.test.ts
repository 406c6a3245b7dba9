/** A backup of one of everything: the restored installation is the same, and an incomplete backup changes nothing. */
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { testLog as log } from '../../../test/harness/log.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { storeSamples } from '../../../test/harness/telemetry.ts'
import { type TemporaryDirectory, temporaryDirectory } from '../../../test/harness/temporary-directory.ts'
import { upload } from '../../../test/harness/uploads.ts'
import { makeEverything } from '../../../test/stories/every-route/world.ts'
import { type Config, readConfig } from '../../config.ts'
import { describeSchema } from '../../database/describe-schema.ts'
import { openDatabase } from '../../database/open.ts'
import { holdServerLock } from '../../nodes/server-lock.ts'
import { addJob } from '../../jobs/add-job.ts'
import { createDayPartition } from '../../timeseries/storage/create-partition.ts'
import { DAY_MS, dayNumber } from '../../timeseries/storage/partition-names.ts'
import { backUp } from './back-up.ts'
import { writeBackupFile } from './backup-file.ts'
import { beginSnapshot, dumpDatabase } from './dump-database.ts'
import { listTables } from './list-tables.ts'
import { restore } from './restore.ts'
import { openSession } from './session.ts'

const secretKey = randomBytes(32).toString('base64')
const otherKey = randomBytes(32).toString('base64')
const passphrase = 'correct horse battery'
const never = new AbortController().signal

let platform: Platform
let directory: TemporaryDirectory
let plain: string
let sealed: string
const databaseUrl = ({ ctx }: Platform) => ctx.pool.options.connectionString!

/** Reads the configuration of an installation from its environment. */
const makeConfig = (url: string, dataDir: string, more: Record<string, string> = {}): Config =>
  readConfig({ DATABASE_URL: url, GANGWAY_DATA_DIR: dataDir, GANGWAY_SECRET_KEY: secretKey, ...more })

beforeAll(async () => {
  platform = await startPlatform({ GANGWAY_SECRET_KEY: secretKey })
  await makeEverything(platform)
  await fillWithOddValues(platform)
  directory = await temporaryDirectory()
  plain = join(directory.path, 'plain.backup')
  sealed = join(directory.path, 'sealed.backup')
  const { dataDir } = platform.ctx.config
  await backUp(makeConfig(databaseUrl(platform), dataDir), plain, never)
  await backUp(
    makeConfig(databaseUrl(platform), dataDir, { GANGWAY_BACKUP_PASSPHRASE: passphrase }),
    sealed,
    never,
  )
})
afterAll(async () => {
  await directory[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

async function fillWithOddValues(into: Platform) {
  const { ctx } = into
  const owner = { tenantNumber: 1, ownerType: 'asset', ownerId: 'some-asset' } as const
  const now = Date.now()
  for (const time of [
    now,
    now - DAY_MS,
    now - 30 * DAY_MS,
    '0001-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
  ])
    for (const value of [0.1 + 0.2, 5e-324, 'a\tb\nc\\N\r"ö😀', { deep: [null, ''] }])
      await storeSamples(ctx, owner, [{ name: `of ${typeof value}`, time, value }])
  const text = 'x'.repeat(3_000_000)
  await into.post('/v1/dashboards', {
    displayName: '\\N',
    organizationId: into.organizationId,
    data: { text: text.slice(0, 900_000) },
  })
  await ctx.db
    .insertInto('outbox')
    .values({ subject: '', payload: JSON.stringify({ text }) })
    .execute()
  await upload(into, { content: randomBytes(700_000), name: 'firmware.bin' })
  await upload(into, { content: '', name: 'empty.txt' })
  await addJob(ctx.db, 'some-task', { of: 'a job' }, { queue: 'some queue', key: 'some key' })
  await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker', attempts = 1`.execute(
    ctx.db,
  )
}

/** The whole content of a database, in a form that can be compared. */
async function describeDatabase(pool: Pool) {
  const client = await pool.connect()
  try {
    const digests: Record<string, string> = {}
    const tables = await listTables(client)
    for (const { name } of tables) {
      const { rows } = await client.query(
        `select count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as digest from only ${name} t`,
      )
      digests[name] = rows[0].digest
    }
    const { rows: sequences } = await client.query(
      `select sequencename, last_value from pg_sequences where last_value is not null order by 1`,
    )
    return { schema: await describeSchema(pool), tables, digests, sequences }
  } finally {
    client.release()
  }
}

async function listFiles(dataDir: string) {
  const found: Record<string, string> = {}
  for (const entry of await readdir(join(dataDir, 'files'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const { mode } = await stat(path)
    found[path.slice(dataDir.length)] = `${(mode & 0o777).toString(8)} ${createHash('sha256')
      .update(await readFile(path))
      .digest('hex')}`
  }
  return found
}

/** An empty database and an empty data directory. */
async function emptyInstallation() {
  const database = await emptyDatabase()
  const data = await temporaryDirectory()
  return {
    ...database,
    dataDir: data.path,
    config: (more: Record<string, string> = {}) => makeConfig(database.url, data.path, more),
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]()
      await data[Symbol.asyncDispose]()
    },
  }
}

const hasNothing = async ({ pool }: Pick<TestDatabase, 'pool'>) => {
  const { rows } = await pool.query(
    `select count(*)::int as count from pg_class where relnamespace = 'public'::regnamespace`,
  )
  return rows[0].count === 0
}

test('a restore that was killed is done again: schema, partitions, rows, jobs, sequences and files are the same', async () => {
  await using target = await emptyInstallation()
  await target.pool.query(
    'create table unfinished_restore (); create table half (id int); create schema graphile_worker',
  )
  const unfinished = 'A restore of this database was interrupted'
  await expect(openDatabase({ ...target.config(), log })).rejects.toThrow(unfinished)
  await expect(backUp(target.config(), join(directory.path, 'half'), never)).rejects.toThrow(unfinished)

  const before = await describeDatabase(platform.ctx.pool)
  expect(before.tables.filter(({ partition }) => partition).length).toBeGreaterThan(1)
  const { rows, files } = await restore(target.config(), plain, { replace: false })
  const after = await describeDatabase(target.pool)
  expect(after.schema).toBe(before.schema)
  expect(after.tables).toEqual(before.tables)
  expect(after.digests).toEqual(before.digests)
  expect(after.sequences).toEqual(before.sequences)
  expect(rows).toBeGreaterThan(100)
  expect(files).toBe(3)
  expect(await listFiles(target.dataDir)).toEqual(await listFiles(platform.ctx.config.dataDir))
  // A server starts with it.
  await (await openDatabase({ ...target.config(), log }))[Symbol.asyncDispose]()
})

test('a sealed backup contains its key; a database that is not empty is replaced only on request', async () => {
  await using target = await emptyInstallation()
  const keyFile = join(target.dataDir, 'secret.key')
  await writeFile(keyFile, `${otherKey}\n`)
  const config = target.config({ GANGWAY_SECRET_KEY: '', GANGWAY_BACKUP_PASSPHRASE: passphrase })
  await (await openDatabase({ ...config, newDatabase: true, log }))[Symbol.asyncDispose]()
  await target.pool.query('create function left_over() returns int language sql as $$ select 1 $$')

  await expect(restore(target.config(), plain, { replace: false })).rejects.toThrow(
    'The database is not empty',
  )
  await expect(restore(config, sealed, { replace: false })).rejects.toThrow('secret.key is not the key')
  await restore(config, sealed, { replace: true })
  expect(await describeSchema(target.pool)).toBe(await describeSchema(platform.ctx.pool))
  expect(await readFile(keyFile, 'utf8')).toBe(`${secretKey}\n`)
  expect((await stat(keyFile)).mode & 0o777).toBe(0o600)
  const [kept] = (await readdir(target.dataDir)).filter((name) => name.startsWith('secret.key.replaced-'))
  expect(await readFile(join(target.dataDir, kept!), 'utf8')).toBe(`${otherKey}\n`)
})

test('only the owner can read its file, and an existing file is not overwritten', async () => {
  expect((await stat(plain)).mode & 0o777).toBe(0o600)
  const config = makeConfig(databaseUrl(platform), platform.ctx.config.dataDir)
  await expect(backUp(config, plain, never)).rejects.toThrow('exists already')
  const cut = join(directory.path, 'cut.backup')
  await writeFile(`${cut}.partial`, '')
  await expect(backUp(config, cut, never)).rejects.toThrow('.partial is there')
  await expect(backUp(config, join(directory.path, 'missing/x'), never)).rejects.toThrow('(ENOENT)')
  await expect(backUp(config, join(directory.path, 'stopped'), AbortSignal.abort())).rejects.toThrow()
  expect((await readdir(directory.path)).toSorted()).toEqual([
    'cut.backup.partial',
    'plain.backup',
    'sealed.backup',
  ])
})

test('while partitions are read, others can be created; later rows are not in the backup', async () => {
  const { pool } = platform.ctx
  await using session = await openSession({ connectionString: databaseUrl(platform) })
  const tables = await beginSnapshot(session.client)
  const owner = { tenantNumber: 1, ownerType: 'asset', ownerId: 'some-asset' } as const
  await storeSamples(platform.ctx, owner, [{ name: 'later', time: Date.now(), value: 4711.25 }])
  let text = ''
  for await (const { data } of dumpDatabase(session.client, tables, { tables: 0, rows: 0 }))
    if (data) for await (const chunk of data) text += chunk
  expect(text).not.toContain('4711.25')
  await createDayPartition(pool, dayNumber(Date.now()) - 200)
  // Changes of tables have to wait.
  await expect(
    pool.query(`begin; set local lock_timeout = 50; alter table dashboards add column later int`),
  ).rejects.toThrow('lock timeout')
  await pool.query('rollback')
})

test('a backup that loses its database fails with one line and leaves no file', async () => {
  await using session = await openSession({ connectionString: databaseUrl(platform) })
  const tables = await beginSnapshot(session.client)
  const { rows } = await session.client.query('select pg_backend_pid() as pid')
  const records = async function* () {
    yield* dumpDatabase(session.client, tables.slice(0, 5), { tables: 0, rows: 0 })
    await platform.ctx.pool.query('select pg_terminate_backend($1)', [rows[0].pid])
    yield* dumpDatabase(session.client, tables.slice(5), { tables: 0, rows: 0 })
  }
  const about = { gangway: '1.0.0', migration: 1, passphrase: undefined, signal: never }
  const writing = writeBackupFile(join(directory.path, 'lost.backup'), about, records())
  await expect(writing).rejects.toThrow(/^public\.\w+ cannot be read: .* Try again\.$/)
  expect((await readdir(directory.path)).filter((name) => name.startsWith('lost'))).toEqual([])
})

describe('a restore changes nothing if', () => {
  let target: Awaited<ReturnType<typeof emptyInstallation>>
  beforeAll(async () => {
    target = await emptyInstallation()
  })
  afterAll(() => target[Symbol.asyncDispose]())

  const expectRefused = async (path: string, more: Record<string, string>, message: string | RegExp) => {
    await expect(restore(target.config(more), path, { replace: false })).rejects.toThrow(message)
    expect(await hasNothing(target)).toBe(true)
    expect(await readdir(target.dataDir)).toEqual([])
  }
  const write = async (name: string, content: Buffer | string) => {
    await writeFile(join(directory.path, name), content)
    return join(directory.path, name)
  }
  const withHeader = async (change: object) => {
    const bytes = await readFile(plain)
    const end = bytes.indexOf('\n')
    const header = { ...JSON.parse(bytes.toString('utf8', 0, end)), ...change }
    return write('changed', Buffer.concat([Buffer.from(JSON.stringify(header)), bytes.subarray(end)]))
  }
  const withPassphrase = { GANGWAY_BACKUP_PASSPHRASE: passphrase }

  test('the file is missing, a directory or something else', async () => {
    await expectRefused(join(directory.path, 'missing'), {}, 'missing cannot be read (ENOENT)')
    await expectRefused(directory.path, {}, 'is not a backup of Gangway')
    await expectRefused(await write('empty', ''), {}, 'is not a backup of Gangway')
    await expectRefused(await write('json', '{"a": 1}\n'), {}, 'is not a backup of Gangway')
  })

  test('the passphrase is missing or wrong', async () => {
    await expectRefused(sealed, {}, 'Set GANGWAY_BACKUP_PASSPHRASE')
    await expectRefused(
      sealed,
      { GANGWAY_BACKUP_PASSPHRASE: 'a wrong passphrase' },
      'is not the passphrase of this backup',
    )
  })

  test('the file is cut off or changed', async () => {
    const bytes = await readFile(plain)
    const start = bytes.indexOf('\n') + 1
    const middle = Math.floor(bytes.length / 2)
    for (const length of [start, start + 9, middle, bytes.length - 9, bytes.length - 1])
      await expectRefused(await write('cut', bytes.subarray(0, length)), {}, 'is damaged')
    for (const at of [start + 20, middle, bytes.length - 12]) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1
      await expectRefused(await write('changed', changed), {}, 'is damaged')
    }
    await expectRefused(await withHeader({ createdAt: 'now' }), {}, 'is damaged')
    await expectRefused(
      await write('cut', (await readFile(sealed)).subarray(0, -1)),
      withPassphrase,
      'is damaged',
    )
  })

  test('the format is newer', async () => {
    await expectRefused(await withHeader({ gangwayBackup: 2, gangway: '9.1.0' }), {}, 'Gangway 9.1.0')
  })

  test('the database had a migration that this version does not know', async () => {
    const { pool } = platform.ctx
    await pool.query(
      `insert into schema_migrations (number, name, checksum) values (9999, 'of-tomorrow', 'x')`,
    )
    const newer = join(directory.path, 'newer.backup')
    try {
      await backUp(makeConfig(databaseUrl(platform), platform.ctx.config.dataDir), newer, never)
    } finally {
      await pool.query('delete from schema_migrations where number = 9999')
    }
    await expectRefused(
      newer,
      {},
      'migration 9999 (of-tomorrow), which this version of Gangway does not know',
    )
  })

  test('the secret key is missing or differs', async () => {
    await expectRefused(plain, { GANGWAY_SECRET_KEY: '' }, 'needs the secret key of its installation')
    await expectRefused(
      plain,
      { GANGWAY_SECRET_KEY: otherKey },
      'GANGWAY_SECRET_KEY is not the key of this backup',
    )
    await expectRefused(
      sealed,
      { ...withPassphrase, GANGWAY_SECRET_KEY: otherKey },
      'Unset GANGWAY_SECRET_KEY',
    )
  })

  test('there is no storage for its files', async () => {
    await expectRefused(plain, { GANGWAY_FILES_URL: 's3://key:secret@127.0.0.1:1/files' }, 'holds 3 files')
  })

  test('a server is running', async () => {
    await using _running = await holdServerLock({ connectionString: target.url }, log)
    await expectRefused(plain, {}, 'Stop every server first')
  })
})

test('an empty database is not backed up, and that of another application is neither backed up nor dropped', async () => {
  await using target = await emptyInstallation()
  const path = join(directory.path, 'nothing')
  await expect(backUp(target.config(), path, never)).rejects.toThrow('nothing to back up')
  await target.pool.query('create table schema_migrations (version text)')
  await expect(backUp(target.config(), path, never)).rejects.toThrow('not Gangway')
  await expect(restore(target.config(), plain, { replace: true })).rejects.toThrow('not Gangway')
})
