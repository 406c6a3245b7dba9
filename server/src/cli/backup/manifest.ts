/** The first record of a backup: what a restore has to know before it changes anything. */
import type pg from 'pg'
import type { Config } from '../../config.ts'
import { findSealed } from '../../database/check-secret-keys.ts'
import type { AppliedMigration } from '../../database/migrate.ts'
import { readMigrations } from '../../database/migration-files.ts'
import { createSealer } from '../../lib/seal.ts'
import { BackupError } from './error.ts'

export interface Manifest {
  migrations: AppliedMigration[]
  /** The tables of graphile-worker; null where no server has made them yet. */
  jobsMigration: number | null
  /** A secret of the database (base64), which its secret key alone opens. */
  sealed: { value: string; place: string } | null
  /** Where files are that the backup does not hold; null where it holds them. */
  filesElsewhere: string | null
}

/** @param client sees the snapshot, */
export async function describeDatabase(
  client: pg.ClientBase,
  { filesUrl }: Pick<Config, 'filesUrl'>,
): Promise<Manifest> {
  const { rows: migrations } = await client.query<AppliedMigration>(
    'select number, name, checksum from public.schema_migrations order by number',
  )
  const sealed = await findSealed(client)
  return {
    migrations,
    jobsMigration: await findJobsMigration(client),
    sealed: sealed ? { value: sealed.value.toString('base64'), place: sealed.place } : null,
    filesElsewhere: filesUrl ? `${filesUrl.endpoint}/${filesUrl.bucket}/${filesUrl.prefix}` : null,
  }
}

async function findJobsMigration(client: pg.ClientBase): Promise<number | null> {
  const { rows: found } = await client.query(
    `select to_regclass('graphile_worker.migrations') is not null as there`,
  )
  if (!found[0].there) return null
  const { rows } = await client.query('select max(id) as newest from graphile_worker.migrations')
  return rows[0].newest
}

/** @throws BackupError where this version did not make the tables of that one */
export async function requireKnownMigrations(applied: AppliedMigration[], gangway: string): Promise<void> {
  const known = new Map((await readMigrations()).map((migration) => [migration.number, migration]))
  for (const { number, name, checksum } of applied) {
    const migration = known.get(number)
    if (!migration)
      throw new BackupError(
        `The backup has migration ${number} (${name}), which this version of Gangway does not know. ` +
          `Restore it with Gangway ${gangway}, or a newer version.`,
      )
    if (migration.checksum !== checksum)
      throw new BackupError(
        `Migration ${number} (${name}) is another one than in the backup. Restore it with the Gangway ${gangway} that wrote it.`,
      )
  }
}

/** Whether they are the secret keys of the backup. */
export function opens(keys: Buffer[], { sealed }: Manifest): boolean {
  if (!sealed) return true
  try {
    createSealer(keys).open(Buffer.from(sealed.value, 'base64'), sealed.place)
    return true
  } catch {
    return false
  }
}
