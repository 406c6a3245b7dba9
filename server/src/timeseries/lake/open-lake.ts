import type { LakeLocation } from '../../lib/lake-url.ts'
import { createDiskLake } from './disk-lake.ts'
import type { LakeStorage } from './lake-storage.ts'

/** The S3 client is large, so it is loaded only if needed. */
export async function openLake({ folder, s3 }: LakeLocation): Promise<LakeStorage> {
  if (folder !== undefined) return createDiskLake(folder)
  const { createS3Lake } = await import('./s3-lake.ts')
  return createS3Lake(s3)
}
