/**
 * Stores files in a directory. A file is written under a temporary name, synced and renamed, and the directory is
 * synced: a file exists completely or not at all, and survives a power failure.
 */
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ApiError } from '../../http/errors.ts'
import { newId } from '../../lib/ids.ts'
import { createMeasure } from './measure.ts'
import { type FileStorage, MissingFileError } from './storage.ts'
import { writeFile } from './write-file.ts'

const READ_BYTES = 256 * 1024

export interface DiskStorage extends FileStorage {
  /** Writes a file that had this key in another storage. */
  restore(key: string, content: AsyncIterable<Uint8Array>): Promise<void>
}

export function createDiskStorage(directory: string): DiskStorage {
  const unfinished = join(directory, 'unfinished')
  // Ids begin with the time, so their last characters are distributed better.
  const folderName = (key: string) => key.slice(-2)
  const filePath = (key: string) => join(directory, folderName(key), key)

  const write = (key: string, content: AsyncIterable<Uint8Array>, see: (chunk: Buffer) => void) =>
    writeThenMove({ temporary: join(unfinished, key), path: filePath(key) }, content, see)

  return {
    async put(content, see) {
      const key = newId()
      const measure = createMeasure(see)
      await write(key, content, measure.add).catch((error: unknown) => {
        throw isFull(error) ? diskFull() : error
      })
      return { key, ...measure.result() }
    },
    async restore(key, content) {
      await rm(join(unfinished, key), { force: true })
      await write(key, content, () => {})
    },
    async open(key, range) {
      try {
        const handle = await open(filePath(key))
        return handle.createReadStream({ ...range, highWaterMark: READ_BYTES })
      } catch (error) {
        throw errorCode(error) === 'ENOENT' ? new MissingFileError(key) : error
      }
    },
    delete: (key) => rm(filePath(key), { force: true }),
    async *listOlder(before) {
      for (const folder of await listEntries(directory))
        if (folder.length === 2) yield* listOlderIn(join(directory, folder), before)
    },
    async deleteUnfinished(before) {
      for await (const name of listOlderIn(unfinished, before))
        await rm(join(unfinished, name), { force: true })
    },
    check: async () => void (await listEntries(directory)),
    async [Symbol.asyncDispose]() {},
  }
}

interface WritePlace {
  temporary: string
  path: string
  /** Permissions of new files and directories. */
  modes?: { file: number; directory: number }
}

const PRIVATE = { file: 0o600, directory: 0o700 }

/** Writes atomically: readers see the previous file or the new one, and a failure leaves nothing behind. */
export async function writeThenMove(
  { temporary, path, modes = PRIVATE }: WritePlace,
  content: AsyncIterable<Uint8Array>,
  see: (chunk: Buffer) => void,
) {
  await makeDirectory(dirname(temporary), modes.directory)
  try {
    await writeFile({ path: temporary, mode: modes.file }, content, see)
    await makeDirectory(dirname(path), modes.directory)
    await rename(temporary, path)
    await syncDirectory(dirname(path))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Also syncs the parent directory if the directory is new. */
async function makeDirectory(path: string, mode: number) {
  const first = await mkdir(path, { recursive: true, mode })
  if (first !== undefined) await syncDirectory(dirname(path))
}

async function syncDirectory(path: string) {
  const handle = await open(path)
  await handle.sync().finally(() => handle.close())
}

export async function* listOlderIn(directory: string, before: Date) {
  for (const name of await listEntries(directory)) {
    const found = await stat(join(directory, name)).catch(() => undefined)
    if (found && found.mtime < before) yield name
  }
}

const listEntries = (directory: string) =>
  readdir(directory).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  })

const errorCode = (error: unknown) => (error as NodeJS.ErrnoException).code
const isFull = (error: unknown) => ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '')
const diskFull = () =>
  new ApiError('unavailable', 'There is no space left for files. Ask the operator for more.', {}, 600)
