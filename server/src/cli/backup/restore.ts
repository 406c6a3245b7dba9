/**
 * Restores a backup. The file is read twice: the first time to verify it and its key before anything changes. A restore
 * that was interrupted must be repeated from the start.
 */
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { createLog } from '../../lib/log.ts'
import { migrate } from '../../database/migrate.ts'
import { hasUnfinishedRestore, unfinishedRestore } from '../../database/unfinished-restore.ts'
import { migrateJobs } from '../../jobs/jobs.ts'
import { createSealer } from '../../lib/seal.ts'
import { readBackupFile } from './backup-file.ts'
import { BackupError, DamagedError } from './error.ts'
import { type Inspected, inspectBackup } from './inspect.ts'
import { type Loader, startLoading } from './load-database.ts'
import type { Manifest } from './manifest.ts'
import { openTarget, type Target } from './open-target.ts'
import type { IncomingRecord } from './records.ts'
import { chooseKeys, writeKeys } from './restore-keys.ts'
import { openSession } from './session.ts'
import { restoreFile, restoreTlsFile } from './stored-files.ts'
import { belongsToGangway, isEmpty, wipeDatabase } from './wipe-database.ts'

export interface Restored {
  manifest: Manifest
  createdAt: string
  tables: number
  rows: number
  files: number
  contentBytes: number
  seconds: number
  /** Existing TLS files that differ from those of the backup and were kept. */
  keptTlsFiles: string[]
  /** Names of the migrations that ran after the restore. */
  migrations: string[]
}

interface Options {
  /** Deletes the present contents of the database. */
  replace: boolean
}

export async function restore(config: Config, path: string, { replace }: Options): Promise<Restored> {
  const startedAtMs = performance.now()
  const log = await createLog('fatal', process.stderr)
  const backup = await inspectBackup(path, config.backupPassphrase)
  if (config.filesUrl && backup.files > 0)
    throw new BackupError(
      `The backup holds ${backup.files} files, which go into the data directory. Unset GANGWAY_FILES_URL.`,
    )
  const choice = await chooseKeys(config, backup, replace)
  await using target = await openTarget(config, choice.present, log)
  await using session = await openSession(target.connection)
  const { client } = session
  const isUsed = await checkUse(client, replace)
  await client.query(`create table if not exists ${unfinishedRestore} ()`)
  if (isUsed) await wipeDatabase(client)
  await writeKeys(config.dataDir, choice, target.embedded)
  const restored = await fillDatabase({ config, client, target, backup, replace, log })
  await client.query('set synchronous_commit = on')
  await client.query(`drop table ${unfinishedRestore}`)
  await target.embedded?.keepPassword(createSealer(choice.keys))
  return { ...restored, seconds: (performance.now() - startedAtMs) / 1000 }
}

/** @returns whether the database must be emptied @throws BackupError if that is not allowed */
async function checkUse(client: pg.ClientBase, replace: boolean): Promise<boolean> {
  if (await isEmpty(client)) return false
  if (await hasUnfinishedRestore(client)) return true
  if (!(await belongsToGangway(client)))
    throw new BackupError('The database has tables that are not Gangway’s. Choose an empty one.')
  if (!replace)
    throw new BackupError(
      'The database is not empty. Restore into another directory (GANGWAY_DATA_DIR) or database (DATABASE_URL), ' +
        'or add --replace, which drops everything in it.',
    )
  return true
}

interface Filling {
  config: Config
  client: pg.ClientBase
  target: Target
  backup: Inspected
  replace: boolean
  log: Logger
}

async function fillDatabase({
  config,
  client,
  target,
  backup,
  replace,
  log,
}: Filling): Promise<Omit<Restored, 'seconds'>> {
  const { pool } = target
  const { manifest, file } = backup
  await migrate(pool, { log, upTo: manifest.migrations.at(-1)?.number ?? 0 })
  if (manifest.jobsMigration !== null) await migrateJobs(pool, log)
  // After a crash the restore is repeated anyway.
  await client.query('set synchronous_commit = off')
  const loader = await startLoading(client)
  const restored = { tables: 0, rows: 0, files: 0, keptTlsFiles: [] as string[] }
  await readBackupFile(file, async (records) => {
    for await (const record of records)
      await restoreRecord(record, { dataDir: config.dataDir, loader, replace, restored })
  })
  await loader.finish()
  const migrations = await migrate(pool, { log })
  const { contentBytes } = backup
  return { ...restored, contentBytes, manifest, createdAt: file.header.createdAt, migrations }
}

interface Restoring {
  dataDir: string
  loader: Loader
  replace: boolean
  restored: Pick<Restored, 'tables' | 'rows' | 'files' | 'keptTlsFiles'>
}

async function restoreRecord(record: IncomingRecord, { dataDir, loader, replace, restored }: Restoring) {
  const { header } = record
  switch (header.record) {
    case 'manifest':
    case 'secret-key':
      return
    case 'tls': {
      const file = { name: `${header.name}`, text: `${header.text}` }
      if (!(await restoreTlsFile(dataDir, file, replace))) restored.keptTlsFiles.push(file.name)
      return
    }
    case 'file':
      await restoreFile(dataDir, record)
      restored.files++
      return
    case 'table':
      await loader.loadTable(record)
      restored.tables++
      restored.rows += Number(record.end.rows ?? 0)
      return
    case 'sequence':
      return loader.setSequence(header)
    default:
      throw new DamagedError()
  }
}
