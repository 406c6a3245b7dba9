/** The first record of a backup: what a restore needs to know before it changes anything. */
import type pg from 'pg'
import type { Config } from '../../config.ts'
import { findSealedSecret } from '../../database/check-secret-keys.ts'
import type { AppliedMigration } from '../../database/migrate.ts'
import { readMigrations } from '../../database/migration-files.ts'
import { createSealer } from '../../lib/seal.ts'
import { BackupError } from './error.ts'

export interface Manifest {
  migrations: AppliedMigration[]
  /** Migration of graphile-worker's tables; null if they do not exist yet. */
  jobsMigration: number | null
  /** A sealed secret of the database (base64), to test secret keys. */
  sealed: { value: string; place: string } | null
  /** Location of files that are not in the backup; null if they are. */
  filesElsewhere: string | null
}

/** @param client a connection that sees the snapshot */
export async function describeDatabase(
  client: pg.ClientBase,
  { filesUrl }: Pick<Config, 'filesUrl'>,
): Promise<Manifest> {
  const { rows: migrations } = await client.query<AppliedMigration>(
    'select number, name, checksum from public.schema_migrations order by number',
  )
  const sealed = await findSealedSecret(client)
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

/** @throws BackupError if this version does not have the same migrations */
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

/** Whether the keys open the secrets of the backup. */
export function keysOpen(keys: Buffer[], { sealed }: Manifest): boolean {
  if (!sealed) return true
  try {
    createSealer(keys).open(Buffer.from(sealed.value, 'base64'), sealed.place)
    return true
  } catch {
    return false
  }
}
