/** The final output for the operator: what a backup contains and what it does not. */
import type { Config } from '../../config.ts'
import { secretKeyFile } from '../../lib/secret-key.ts'
import type { BackedUp } from './back-up.ts'
import type { Restored } from './restore.ts'

interface Counts {
  tables: number
  rows: number
  files: number
  contentBytes: number
  seconds: number
}

export const describeBackup = (done: BackedUp, path: string, config: Config): string[] => [
  `The backup is complete: ${path}, ${formatMegabytes(done.fileBytes)}.`,
  `It holds ${formatCounts(done)}.`,
  ...describeFilesElsewhere(done.manifest.filesElsewhere),
  ...(done.isSealed
    ? ['It is sealed with GANGWAY_BACKUP_PASSPHRASE, and holds the secret key and the TLS keys.']
    : describeSeparateKeys(config)),
]

const describeSeparateKeys = ({ secretKey, dataDir }: Config) => [
  `It does not hold ${secretKey ? 'GANGWAY_SECRET_KEY' : secretKeyFile(dataDir)}, without which its secrets do not open, ` +
    `nor ${dataDir}/tls. Keep copies of both apart from it, or set GANGWAY_BACKUP_PASSPHRASE to seal the backup with them in it.`,
]

export const describeRestore = (done: Restored, { dataDir }: Config): string[] => [
  `The backup of ${done.createdAt} is restored: ${formatCounts(done)}.`,
  ...(done.migrations.length > 0 ? [`Migrations that ran on it: ${done.migrations.join(', ')}.`] : []),
  ...describeFilesElsewhere(done.manifest.filesElsewhere),
  ...(done.keptTlsFiles.length > 0
    ? [
        `These files of ${dataDir}/tls were there and stay, though the backup has others: ${done.keptTlsFiles.join(', ')}.`,
      ]
    : []),
  'Start the server with npm start.',
]

const describeFilesElsewhere = (place: string | null) =>
  place === null ? [] : [`Uploaded files are in S3, not in the backup: ${place}.`]

const formatCounts = ({ tables, rows, files, contentBytes, seconds }: Counts) =>
  `${rows} rows of ${tables} tables and ${files} files, ${formatMegabytes(contentBytes)} ` +
  `(${seconds.toFixed(1)} s, ${formatMegabytes(contentBytes / seconds)} a second)`

const formatMegabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
