/** Writes a backup of everything that was committed before it began. */
import type pg from 'pg'
import type { Config } from '../../config.ts'
import { createLog } from '../../lib/log.ts'
import { checkSecretKeys } from '../../database/check-secret-keys.ts'
import { refuseUnfinishedRestore } from '../../database/unfinished-restore.ts'
import { findSecretKeys, secretKeyFile } from '../../lib/secret-key.ts'
import { version } from '../../version.ts'
import { type Written, writeBackupFile } from './backup-file.ts'
import { connect } from './connect.ts'
import { beginSnapshot, dumpDatabase } from './dump-database.ts'
import { BackupError } from './error.ts'
import type { Table } from './list-tables.ts'
import { describeDatabase, type Manifest } from './manifest.ts'
import type { OutgoingRecord } from './records.ts'
import { openSession } from './session.ts'
import { dumpFiles, dumpKeys } from './stored-files.ts'
import { belongsToGangway, isEmpty } from './wipe-database.ts'

export interface BackedUp extends Written {
  tables: number
  rows: number
  files: number
  seconds: number
  manifest: Manifest
  /** A sealed backup contains the keys. */
  isSealed: boolean
}

export async function backUp(config: Config, path: string, signal: AbortSignal): Promise<BackedUp> {
  const startedAtMs = performance.now()
  const keys = await findSecretKeys(config)
  await using connected = await connect(config, keys, await createLog('fatal', process.stderr))
  await using session = await openSession(connected.connection)
  const { client } = session
  await requireUsable(client, config, keys)
  const tables = await beginSnapshot(client)
  const manifest = await describeDatabase(client, config)
  const totals = { tables: 0, rows: 0, files: 0 }
  const about = {
    gangway: version,
    migration: manifest.migrations.at(-1)?.number ?? 0,
    passphrase: config.backupPassphrase,
    signal,
  }
  const records = listRecords({ config, client, keys: keys ?? [], tables, manifest, totals })
  const written = await writeBackupFile(path, about, records)
  const seconds = (performance.now() - startedAtMs) / 1000
  return { ...written, ...totals, seconds, manifest, isSealed: config.backupPassphrase !== undefined }
}

async function requireUsable(client: pg.ClientBase, config: Config, keys: Buffer[] | undefined) {
  await refuseUnfinishedRestore(client)
  if (await isEmpty(client)) throw new BackupError('The database is empty: there is nothing to back up.')
  if (!(await belongsToGangway(client)))
    throw new BackupError('The tables of this database are not Gangway’s. Check DATABASE_URL.')
  const file = config.secretKey ? undefined : secretKeyFile(config.dataDir)
  await checkSecretKeys(client, { keys, file, newDatabase: true })
}

interface Contents {
  config: Config
  client: pg.ClientBase
  keys: Buffer[]
  tables: Table[]
  manifest: Manifest
  totals: { tables: number; rows: number; files: number }
}

/** Files come first, since a file that a resource of the snapshot needs could be deleted later. */
async function* listRecords({ config, client, keys, tables, manifest, totals }: Contents) {
  yield { header: { record: 'manifest', ...manifest } } satisfies OutgoingRecord
  if (config.backupPassphrase !== undefined && keys.length > 0) yield* dumpKeys(config, keys)
  yield* dumpFiles(config, totals)
  yield* dumpDatabase(client, tables, totals)
}
