/** Free space on the disks that the platform writes to. */
import { statfs } from 'node:fs/promises'

export interface FreeSpace {
  directory: string
  bytes: number
}

/** PostgreSQL writes its log in segments of 16 MiB and stops if there is no room for the next one. */
const FULL_BYTES = 32 * 1024 * 1024

export const isFull = (freeBytes: number): boolean => freeBytes < FULL_BYTES

export const readFreeBytes = (directories: string[]): Promise<FreeSpace[]> =>
  Promise.all(
    directories.map(async (directory) => {
      const { bavail, bsize } = await statfs(directory)
      return { directory, bytes: bavail * bsize }
    }),
  )

export const mebibytes = (bytes: number): number => Math.floor(bytes / 1024 / 1024)

class DiskFullError extends Error {
  override name = 'DiskFullError'
}

/** @throws DiskFullError */
export async function requireFreeSpace(directory: string): Promise<void> {
  const [free] = await readFreeBytes([directory])
  if (free && isFull(free.bytes))
    throw new DiskFullError(
      `The disk of ${directory} is full: ${mebibytes(free.bytes)} MiB are left, and ${mebibytes(FULL_BYTES)} MiB are needed to start. Free some space, or give it more.`,
    )
}
