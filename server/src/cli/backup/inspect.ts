/** Reads a whole backup before anything changes, to verify it and to find what the restore needs. */
import { type BackupFile, openBackupFile, readBackupFile } from './backup-file.ts'
import { DamagedError } from './error.ts'
import { type Manifest, requireKnownMigrations } from './manifest.ts'

export interface Inspected {
  file: BackupFile
  manifest: Manifest
  /** The text of `secret.key`, in a sealed backup. */
  secretKeyText: string | undefined
  files: number
  contentBytes: number
}

/** @throws BackupError */
export async function inspectBackup(path: string, passphrase: string | undefined): Promise<Inspected> {
  const file = await openBackupFile(path, passphrase)
  let manifest: Manifest | undefined
  let secretKeyText: string | undefined
  let files = 0
  const contentBytes = await readBackupFile(file, async (records) => {
    for await (const { header } of records) {
      if (header.record === 'manifest') {
        manifest = header as unknown as Manifest
        await requireKnownMigrations(manifest.migrations, file.header.gangway)
      }
      if (header.record === 'secret-key') secretKeyText = `${header.text}`
      if (header.record === 'file') files++
    }
  })
  if (!manifest) throw new DamagedError()
  return { file, manifest, secretKeyText, files, contentBytes }
}
