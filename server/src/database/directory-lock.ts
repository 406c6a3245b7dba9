/**
 * Allows one server per data directory. The lock is a listening Unix socket, not a pid file: the kernel closes the socket
 * when its process dies, while a process id proves nothing in containers, where every server is pid 1.
 *
 * Each process publishes its own socket in `gangway.lock/` and then looks for others. A process that finds no other live
 * socket holds the lock. Of two processes the one that looks later sees the other, so they cannot both hold the lock.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, realpath, rename, rm } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeShortPath } from './socket-path.ts'

export class DirectoryInUseError extends Error {
  override name = 'DirectoryInUseError'
  constructor(directory: string) {
    super(
      `The data directory ${directory} is in use by another Gangway server. ` +
        'Stop that server first, or give this one a directory of its own with GANGWAY_DATA_DIR.',
    )
  }
}

type Role = 'candidate' | 'holder'
type PeerState = Role | 'dead'

interface Socket {
  name: string
  role: Role
  close(): Promise<void>
}

const socketName = /^[0-9a-f]{8}$/
const answerTimeoutMs = 2_000
const LONGEST_PAUSE_MS = 2_000

/** @throws DirectoryInUseError if another process holds the lock */
export async function lockDirectory(directory: string): Promise<AsyncDisposable> {
  await mkdir(directory, { recursive: true, mode: 0o711 })
  const locks = join(await realpath(directory), 'gangway.lock')
  await mkdir(locks, { recursive: true, mode: 0o700 })
  await using short = await makeShortPath(locks, 16)

  for (let attempts = 0; ; attempts++) {
    const own = await publish(locks, short.path)
    if (await tryToHold(own, locks, short.path, directory)) {
      own.role = 'holder'
      return { [Symbol.asyncDispose]: () => own.close() }
    }
    // The pause grows: otherwise many processes that start at once would keep finding each other.
    await sleep(10 + Math.random() * Math.min(LONGEST_PAUSE_MS, 40 * 2 ** attempts))
  }
}

/** @returns false if this process stepped back for another one and should try again */
async function tryToHold(own: Socket, locks: string, short: string, directory: string) {
  for (;;) {
    const others = await listOthers(own, locks, short)
    if (others.length === 0) return true
    const held = others.some(({ role }) => role === 'holder')
    // Candidates that see each other would wait forever, so all but the one with the lowest name step back.
    if (held || others.some(({ name }) => name < own.name)) {
      await own.close()
      if (held) throw new DirectoryInUseError(directory)
      return false
    }
    await sleep(10)
  }
}

/** The socket gets its final name only once it listens, so that no process takes it for a dead one. */
async function publish(locks: string, short: string): Promise<Socket> {
  const name = randomUUID().slice(0, 8)
  const server = createServer((connection) => {
    connection.on('error', () => {})
    connection.end(own.role)
  })
  const own: Socket = {
    name,
    role: 'candidate',
    close: async () => {
      await rm(join(locks, name), { force: true })
      await new Promise((done) => server.close(done))
    },
  }
  await new Promise<void>((listening, failed) => {
    server.once('error', failed)
    server.listen(join(short, `.${name}`), listening)
  })
  server.unref()
  await rename(join(locks, `.${name}`), join(locks, name))
  return own
}

async function listOthers(own: Socket, locks: string, short: string) {
  const living: { name: string; role: Role }[] = []
  for (const name of await readdir(locks)) {
    if (name === own.name || !socketName.test(name)) continue
    const role = await readRole(join(short, name))
    if (role === 'dead') await rm(join(locks, name), { force: true })
    else living.push({ name, role })
  }
  return living
}

/** A process that accepts but does not answer (stopped or busy) counts as the holder. */
function readRole(path: string): Promise<PeerState> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const connection = createConnection(path)
    const settle = (result: PeerState) => {
      connection.destroy()
      resolve(result)
    }
    connection.setTimeout(answerTimeoutMs, () => settle('holder'))
    connection.on('data', (chunk) => (answer += chunk.toString()))
    connection.on('end', () => settle(answer === 'candidate' ? 'candidate' : 'holder'))
    connection.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') settle('dead')
      else if (error.code === 'ECONNRESET' || error.code === 'EPIPE') settle('dead')
      else reject(error)
    })
  })
}
