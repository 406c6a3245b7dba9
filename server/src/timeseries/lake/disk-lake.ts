import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../../lib/ids.ts'
import { listOlderIn, writeThenMove } from '../../resources/files/disk-storage.ts'
import type { LakeStorage } from './lake-storage.ts'

/** The group of the server's user may read the lake. */
const MODES = { file: 0o640, directory: 0o750 }

export function createDiskLake(folder: string): LakeStorage {
  // Programs that read all files of the lake ignore names that begin with a dot.
  const unfinished = join(folder, '.unfinished')
  return {
    write: (path, content) =>
      writeThenMove(
        { temporary: join(unfinished, newId()), path: join(folder, path), modes: MODES },
        content,
        () => {},
      ),
    read: (path) =>
      readFile(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      }),
    delete: (path) => rm(join(folder, path), { force: true }),
    deleteFolder: (path) => rm(join(folder, path), { recursive: true, force: true }),
    async deleteUnfinished(before) {
      for await (const name of listOlderIn(unfinished, before))
        await rm(join(unfinished, name), { force: true })
    },
    async [Symbol.asyncDispose]() {},
  }
}
