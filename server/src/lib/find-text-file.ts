import { readFile } from 'node:fs/promises'

/**
 * @returns undefined if the file does not exist
 * @throws the file system's error with its path, which Node leaves out for a directory
 */
export const findTextFile = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw Object.assign(error, { path })
  })
