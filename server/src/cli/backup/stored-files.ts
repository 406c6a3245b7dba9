/** The files of an installation in a backup: uploaded files and, in a sealed backup, its keys. */
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { isUuid } from '../../http/page.ts'
import { findTextFile } from '../../lib/find-text-file.ts'
import { keyFileText } from '../../lib/secret-key.ts'
import { replaceSynced } from '../../lib/write-synced.ts'
import { createDiskStorage } from '../../resources/files/disk-storage.ts'
import { MissingFileError } from '../../resources/files/storage.ts'
import { DamagedError } from './error.ts'
import type { IncomingRecord, OutgoingRecord } from './records.ts'

const tlsFiles = ['ca.crt', 'ca.key', 'server.crt', 'server.key']

const createStorage = (dataDir: string) => createDiskStorage(join(dataDir, 'files'))
const END_OF_TIME = new Date(8.64e15)

/** Dumps the secret keys and the TLS files of the data directory as text. */
export async function* dumpKeys(
  { dataDir }: Pick<Config, 'dataDir'>,
  keys: Buffer[],
): AsyncGenerator<OutgoingRecord> {
  yield { header: { record: 'secret-key', text: keyFileText(keys) } }
  for (const name of tlsFiles) {
    const text = await findTextFile(join(dataDir, 'tls', name))
    if (text !== undefined) yield { header: { record: 'tls', name, text } }
  }
}

/** @param totals counters that are updated */
export async function* dumpFiles(
  { dataDir, filesUrl }: Pick<Config, 'dataDir' | 'filesUrl'>,
  totals: { files: number },
): AsyncGenerator<OutgoingRecord> {
  if (filesUrl) return
  const storage = createStorage(dataDir)
  for await (const key of storage.listOlder(END_OF_TIME)) {
    if (!isUuid(key)) continue
    try {
      yield { header: { record: 'file', key }, data: (await storage.open(key)) as AsyncIterable<Buffer> }
      totals.files++
    } catch (error) {
      // The file was deleted after it was listed.
      if (!(error instanceof MissingFileError)) throw error
    }
  }
}

export async function restoreFile(dataDir: string, { header, data }: IncomingRecord): Promise<void> {
  const key = `${header.key}`
  if (!isUuid(key)) throw new DamagedError()
  await createStorage(dataDir).restore(key, data)
}

/** @returns whether the file has this text now */
export async function restoreTlsFile(
  dataDir: string,
  { name, text }: { name: string; text: string },
  replace: boolean,
): Promise<boolean> {
  if (!tlsFiles.includes(name)) throw new DamagedError()
  const path = join(dataDir, 'tls', name)
  const found = await findTextFile(path)
  if (found !== undefined && !replace) return found === text
  await mkdir(join(dataDir, 'tls'), { recursive: true, mode: 0o700 })
  await replaceSynced(path, text)
  if (name.endsWith('.crt')) await chmod(path, 0o644)
  return true
}
