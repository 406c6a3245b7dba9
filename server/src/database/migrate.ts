/** Migrates the schema. If several nodes start at once, one migrates and the others wait for it. */
import type { Logger } from 'pino'
import type pg from 'pg'
import type { Migration } from './migration-files.ts'
import { readMigrations } from './migration-files.ts'
import { allowLongStatements } from './watch-silence.ts'

export class MigrationError extends Error {
  override name = 'MigrationError'
}

export interface AppliedMigration {
  number: number
  name: string
  checksum: string
}

/** Number of the advisory lock; it must differ from those of other locks. */
const migrationLock = 7_264_001

/** Checksums of migrations, by their number, before a comment in the file was changed. The statements are the same. */
const FORMER_CHECKSUMS = new Map([[58, '9b410c787017aa3e293fb989923d049c591ffc3a869dd06757a58ba1cdc88548']])

interface MigrateOptions {
  log: Logger
  directory?: string
  /** Number of the last migration to run; if absent, all run. */
  upTo?: number
}

/** @returns the names of the migrations that ran @throws MigrationError */
export async function migrate(
  pool: pg.Pool,
  { log, directory, upTo = Infinity }: MigrateOptions,
): Promise<string[]> {
  const migrations = (await readMigrations(directory)).filter(({ number }) => number <= upTo)
  const client = await pool.connect()
  try {
    await allowLongStatements(client)
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    const applied = await listApplied(client)
    const pending = listPending(migrations, applied)
    // A new database runs all of them, which is not worth a line each.
    const level = applied.length === 0 ? 'debug' : 'info'
    for (const migration of pending) {
      const ms = await apply(client, migration)
      const { number, name } = migration
      log[level]({ number, name, ms }, 'migrated the database')
    }
    if (applied.length === 0) log.info({ migrations: pending.length }, 'created the tables of a new database')
    return pending.map(({ name }) => name)
  } finally {
    // Ends the session with its lock and settings.
    client.release(true)
  }
}

/** Prevents servers from migrating. @returns a function that releases the lock */
export async function lockMigrations(client: pg.ClientBase): Promise<() => Promise<unknown>> {
  await client.query('select pg_advisory_lock_shared($1)', [migrationLock])
  return () => client.query('select pg_advisory_unlock_shared($1)', [migrationLock])
}

async function listApplied(client: pg.PoolClient) {
  await client.query(`
    create table if not exists schema_migrations (
      number     int primary key,
      name       text not null,
      applied_at timestamptz not null default now(),
      checksum   text not null
    )`)
  const { rows } = await client.query<AppliedMigration>(
    'select number, name, checksum from schema_migrations order by number',
  )
  return rows
}

/** @throws MigrationError if an applied migration is unknown or was changed */
function listPending(migrations: Migration[], applied: AppliedMigration[]) {
  const known = new Map(migrations.map((migration) => [migration.number, migration]))
  for (const { number, name, checksum } of applied) {
    const migration = known.get(number)
    if (!migration)
      throw new MigrationError(
        `The database has migration ${number} (${name}), which this version of Gangway does not know. ` +
          'Start the version that made it, or a newer one; an older one would damage the data.',
      )
    if (migration.checksum !== checksum && FORMER_CHECKSUMS.get(number) !== checksum)
      throw new MigrationError(
        `Migration ${number} (${migration.name}) was changed after it had been applied to this database. ` +
          'Restore the file as it was and put the change into a new migration.',
      )
  }
  const last = applied.at(-1)?.number ?? 0
  const done = new Set(applied.map(({ number }) => number))
  const pending = migrations.filter(({ number }) => !done.has(number))
  const late = pending.find(({ number }) => number < last)
  if (late)
    throw new MigrationError(
      `Migration ${late.number} (${late.name}) comes before ${last}, which this database has already. Give it a higher number.`,
    )
  return pending
}

/** @returns the duration in milliseconds */
async function apply(client: pg.PoolClient, { number, name, sql, checksum }: Migration): Promise<number> {
  const startedAt = Date.now()
  await client.query('begin')
  try {
    await client.query(sql)
    await client.query('insert into schema_migrations (number, name, checksum) values ($1, $2, $3)', [
      number,
      name,
      checksum,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    const { message, position } = error as { message: string; position?: string }
    const line = position ? `, line ${sql.slice(0, Number(position)).split('\n').length}` : ''
    throw new MigrationError(`Migration ${number} (${name}${line}) failed: ${message}`, { cause: error })
  }
  return Date.now() - startedAt
}
