import { readFile } from 'node:fs/promises'

/**
 * @returns undefined where there is no such file
 * @throws the file system's error, which names the path (Node leaves it out where the path is a directory)
 */
export const findTextFile = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw Object.assign(error, { path })
  })
