/**
 * Stops a PostgreSQL that a killed server left behind. The caller holds the lock on the directory, so any PostgreSQL that
 * runs there is such an orphan. PostgreSQL's own check uses process ids, which are reused.
 */
import { readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { run } from './run.ts'

const fastShutdownMs = 30_000
const immediateShutdownMs = 10_000

export async function stopOrphan(cluster: string, log: Logger) {
  const file = join(cluster, 'postmaster.pid')
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n')
  const pid = Math.abs(Number(lines[0]))
  if (!pid || !isAlive(pid)) return

  if (!(await servesCluster(pid, cluster))) {
    // PostgreSQL would take the other process for a running server and refuse to start. It accepts the id of its parent
    // process. Keeping the file preserves its second check, by shared memory, for backends that have not ended yet.
    await writeFile(file, [process.pid, ...lines.slice(1)].join('\n'))
    return
  }
  log.warn({ pid }, 'stopping the PostgreSQL of an earlier server, which is still running')
  await stop(pid, cluster)
  await removeSocketDirectory(lines[4] ?? '')
}

async function stop(pid: number, cluster: string) {
  for (const [signal, patienceMs] of [
    ['SIGINT', fastShutdownMs],
    ['SIGQUIT', immediateShutdownMs],
    ['SIGKILL', immediateShutdownMs],
  ] as const) {
    signalQuietly(pid, signal)
    // It is not a child process, so its end is polled. The id remains if pid 1 does not reap dead processes.
    for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(20))
      if (!(await servesCluster(pid, cluster))) return
  }
}

/** The working directory of PostgreSQL is its cluster. Without /proc its command line is checked. */
async function servesCluster(pid: number, cluster: string) {
  if (process.platform === 'linux') {
    const [directory, name] = await Promise.all([
      readlink(`/proc/${pid}/cwd`).catch(() => ''),
      readFile(`/proc/${pid}/comm`, 'utf8').catch(() => ''),
    ])
    return directory === cluster && name.startsWith('postgres')
  }
  const { output } = await run('ps', ['-o', 'command=', '-p', String(pid)])
  return output.includes(cluster)
}

/** Removes only a directory that was created because the cluster's path is too long for a socket. */
async function removeSocketDirectory(directory: string) {
  if (basename(directory).startsWith('gangway-')) await rm(directory, { recursive: true, force: true })
}

function isAlive(pid: number) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function signalQuietly(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended already.
  }
}
