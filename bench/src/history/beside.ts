/** Starts another database on loopback, with a temporary directory, where its package is installed. */
import { once } from 'node:events'
import { access, constants, lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import { ask } from '../http/ask.ts'
import type { BesideProgram } from '../programs/beside.ts'

const READY_MS = 30_000
const ASK_AGAIN_MS = 100
/** Unit of `blocks`, whatever the file system. */
const BLOCK_BYTES = 512

interface Other {
  name: string
  command: string
  /** The Debian package that has it. */
  package: string
  /** Path that answers with a 2xx status as soon as the database is ready. */
  healthPath: string
  listArgs(place: Place): string[] | Promise<string[]>
}

export interface Place {
  directory: string
  port: number
  url: string
}

/** @returns undefined if the program is not installed */
export async function startBeside(bench: Bench, other: Other): Promise<Place | undefined> {
  const command = await findCommand(other.command)
  if (!command) {
    bench.progress(
      `${other.name} is left out: there is no ${other.command} (apt-get install ${other.package})`,
    )
    return undefined
  }
  const { directory } = await bench.use(makeDirectory())
  const port = await findFreePort()
  const place = { directory, port, url: `http://127.0.0.1:${port}` }
  const args = await other.listArgs(place)
  const program = await bench.use(startProgram<BesideProgram>('beside'))
  await program.call('start', command, args)
  for (const untilMs = performance.now() + READY_MS; ; await sleep(ASK_AGAIN_MS)) {
    if (await isUp(place.url + other.healthPath)) return place
    if (program.process.exitCode !== null || performance.now() > untilMs)
      throw new Error(`${other.name} did not start`)
  }
}

const isUp = (url: string) =>
  ask({ method: 'GET', url }).then(
    () => true,
    () => false,
  )

async function findCommand(name: string): Promise<string | undefined> {
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']) {
    const path = join(folder, name)
    const isExecutable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isExecutable) return path
  }
  return undefined
}

async function makeDirectory() {
  const directory = await mkdtemp(join(tmpdir(), 'gangway-bench-'))
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) }
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Bytes that a directory occupies on disk, which is less than the sizes of its files where these have holes. */
export async function measureDirectory(directory: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    // A file may be merged away meanwhile.
    const stats = await lstat(join(entry.parentPath, entry.name)).catch(() => undefined)
    bytes += (stats?.blocks ?? 0) * BLOCK_BYTES
  }
  return bytes
}

/** Waits until a measurement stays the same. */
export async function untilSteady(measure: () => Promise<number>, steadyMs: number): Promise<void> {
  let [last, sinceMs] = [await measure(), performance.now()]
  while (performance.now() - sinceMs < steadyMs) {
    await sleep(ASK_AGAIN_MS * 5)
    const now = await measure()
    if (now !== last) [last, sinceMs] = [now, performance.now()]
  }
}
