import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'

/** The file operations of the directory store, one by one, so that tests can cut the power between any two of them. */
export interface Files {
  makeDirectory(path: string): Promise<void>
  /** Null if there is no such file. */
  read(path: string): Promise<string | null>
  /** Creates or replaces the file, readable by its owner only. Not durable before `syncFile`. */
  write(path: string, text: string): Promise<void>
  syncFile(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Makes renamed, created and removed entries of the directory durable. */
  syncDirectory(path: string): Promise<void>
}

export const diskFiles: Files = {
  makeDirectory: async (path) => void (await mkdir(path, { recursive: true, mode: 0o700 })),
  read: (path) =>
    readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    }),
  write: (path, text) => writeFile(path, text, { mode: 0o600 }),
  syncFile: (path) => sync(path, 'r+'),
  rename,
  remove: (path) => rm(path, { force: true }),
  // Windows cannot open directories, and does not need it.
  syncDirectory: async (path) => (process.platform === 'win32' ? undefined : sync(path, 'r')),
}

async function sync(path: string, flags: string): Promise<void> {
  const file = await open(path, flags)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
