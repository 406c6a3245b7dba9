import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { createDiskStorage } from './disk-storage.ts'
import type { FileStorage } from './storage.ts'

/** Opens the configured storage. The S3 client is large, so it is loaded only if needed. */
export async function openFileStorage({ dataDir, filesUrl }: Config): Promise<FileStorage> {
  if (!filesUrl) return createDiskStorage(join(dataDir, 'files'))
  const { createS3Storage } = await import('./s3-storage.ts')
  return createS3Storage(filesUrl)
}
