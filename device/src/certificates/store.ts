import { join } from 'node:path'
import type { Files } from './files.ts'
import { diskFiles } from './files.ts'

/**
 * - `current`: the key and certificate in use
 * - `next`: a new key, then its certificate too, until a connection with it has succeeded
 */
export type StoredName = 'current' | 'next'

/** Keeps the device's private keys and certificates: a directory, or your own, such as an encrypted partition. */
export interface CertificateStore {
  read(name: StoredName): Promise<string | null>
  /** Must be durable and atomic: after a power cut at any moment, `read` returns the old text or the new one. */
  write(name: StoredName, pem: string): Promise<void>
  remove(name: StoredName): Promise<void>
}

/** Keeps `current.pem` and `next.pem` in a directory, readable by its owner only. The directory is created if missing. */
export function createDirectoryStore(directory: string, files: Files = diskFiles): CertificateStore {
  const path = (name: StoredName) => join(directory, `${name}.pem`)
  return {
    read: (name) => files.read(path(name)),
    async write(name, pem) {
      const written = `${path(name)}.new`
      await files.makeDirectory(directory)
      // A file that a power cut left behind may have other permissions.
      await files.remove(written)
      await files.write(written, pem)
      await files.syncFile(written)
      await files.rename(written, path(name))
      await files.syncDirectory(directory)
    },
    async remove(name) {
      await files.remove(path(name))
      await files.syncDirectory(directory)
    },
  }
}
