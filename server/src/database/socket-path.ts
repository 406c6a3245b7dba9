/**
 * The path of a Unix socket has at most about 104 bytes (sun_path with its final zero byte), while the path of a data
 * directory can be longer.
 */
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const longestPath = 100

export const fitsSocket = (path: string) => Buffer.byteLength(path) <= longestPath

export interface ShortPath extends AsyncDisposable {
  path: string
}

/** Makes a path to the same directory that leaves room for a socket's name; use it only to bind or connect. */
export async function makeShortPath(directory: string, roomForName: number): Promise<ShortPath> {
  if (fitsSocket(directory + '/'.padEnd(roomForName + 1, 'x')))
    return { path: directory, [Symbol.asyncDispose]: async () => {} }
  const own = await mkdtemp(join(tmpdir(), 'gangway-'))
  await symlink(directory, join(own, 'd'))
  return { path: join(own, 'd'), [Symbol.asyncDispose]: () => rm(own, { recursive: true, force: true }) }
}
