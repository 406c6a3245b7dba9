/** One PostgreSQL for the whole run, with a migrated template that each test file clones. */
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectionUrl } from '../src/database/embedded/connection.ts'
import { startEmbeddedDatabase } from '../src/database/embedded/start.ts'
import { migrate } from '../src/database/migrate.ts'
import { createKysely, createPool } from '../src/database/pool.ts'
import { migrateJobs } from '../src/jobs/jobs.ts'
import type { TestProject } from 'vitest/node'
// @ts-expect-error -- plain JavaScript, shared with the start script
import { compileStale } from '../../scripts/build.mjs'
import { ensureFirstTenant } from '../src/organizations/first-start.ts'
import { firstAdministrator } from './harness/first-administrator.ts'
import { testLog } from './harness/log.ts'
import { removePreparedDirectory } from './harness/prepared-data-directory.ts'
import { prepareProgramsFor, removePrograms } from './harness/prepared-programs.ts'
import { takeRunNumber } from './harness/run-number.ts'
import { useScratchDirectory } from './harness/scratch-directory.ts'
import { databaseUrl, execute } from './harness/test-server.ts'

export default async function setUp({ provide }: TestProject) {
  // Once, for the stories that start what was built; other tests run whether it compiles or not.
  provide('isBuilt', (await compileStale('server', 'demo')) as boolean)
  const removeScratchDirectory = await useScratchDirectory()
  const run = await takeRunNumber()
  provide('runNumber', run.number)
  const given = process.env.GANGWAY_TEST_DATABASE_URL
  const server = given ? { url: given, stop: async () => {} } : await startServer()
  const prefix = `gangway_test_${randomBytes(4).toString('hex')}`
  const template = `${prefix}_template`
  const tearDown = async () => {
    await dropDatabases(server.url, prefix)
    await removePreparedDirectory(prefix)
    await removePrograms(prefix)
    await server.stop()
    await removeScratchDirectory()
    await run.release()
  }
  try {
    await execute(server.url, `create database ${template} template template0 encoding 'UTF8'`)
    await migrateTemplate(databaseUrl(server.url, template))
    const platformTemplate = `${template}_platform`
    await execute(server.url, `create database ${platformTemplate} template ${template}`)
    await makeFirstTenant(databaseUrl(server.url, platformTemplate))
    await prepareProgramsFor(prefix)
    provide('testServer', { url: server.url, prefix, template, platformTemplate })
    return tearDown
  } catch (error) {
    await tearDown()
    throw error
  }
}

/** Nothing of it need survive, so it does not wait for the disk. */
async function startServer() {
  const dataDir = await mkdtemp(join(tmpdir(), 'gangway-test-'))
  await chmod(dataDir, 0o711)
  const database = await startEmbeddedDatabase({
    dataDir,
    log: testLog,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: 300,
      // Databases that live for seconds need none of it, and each new one would wake a worker.
      autovacuum: 'off',
      // Making and dropping a database scans all of it.
      shared_buffers: '64MB',
      wal_compression: 'off',
      wal_level: 'minimal',
      max_wal_senders: 0,
    },
  })
  // Tests run as the same ordinary role as the server does, which here may create databases too.
  await execute(connectionUrl(database.superuser), 'alter role gangway createdb')
  const stop = async () => {
    await database[Symbol.asyncDispose]()
    for (const directory of [dataDir, database.directory])
      await rm(directory, { recursive: true, force: true })
  }
  return { url: connectionUrl(database.connection), stop }
}

async function migrateTemplate(url: string) {
  const pool = createPool({ connectionString: url }, testLog, { max: 1 })
  try {
    await migrate(pool, { log: testLog })
    await migrateJobs(pool, testLog)
  } finally {
    await pool.end()
  }
}

/** Hashing a password is slow on purpose, so it is done once and not for each platform. */
async function makeFirstTenant(url: string) {
  const pool = createPool({ connectionString: url }, testLog, { max: 1 })
  try {
    await ensureFirstTenant(createKysely(pool), firstAdministrator)
  } finally {
    await pool.end()
  }
}

async function dropDatabases(url: string, prefix: string) {
  const { rows } = await execute(
    url,
    `select datname from pg_database where starts_with(datname, '${prefix}')`,
  )
  for (const { datname } of rows) await execute(url, `drop database if exists ${datname} with (force)`)
}
