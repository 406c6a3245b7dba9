/**
 * After a kill -9 of the server its postgres may still run, or be about to end. We hold the lock on the directory, so
 * whatever runs there is a leftover of ours. PostgreSQL's own check goes by process id, and ids come round again.
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
  if (!pid || !alive(pid)) return

  if (!(await servesCluster(pid, cluster))) {
    // PostgreSQL would take the stranger for a running server and refuse. It forgives the id of its own parent, and
    // keeping the file keeps its second check, by shared memory, for backends that have not ended yet.
    await writeFile(file, [process.pid, ...lines.slice(1)].join('\n'))
    return
  }
  log.warn({ pid }, 'PostgreSQL of an earlier server still runs here, stopping it')
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
    // Not our child, so its end is no event for us. Where pid 1 does not collect the dead, its id stays on.
    for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(20))
      if (!(await servesCluster(pid, cluster))) return
  }
}

/** PostgreSQL works in its cluster's directory. Where there is no /proc, its command line names it. */
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

/** Only one that we made because the cluster's own path was too long for a socket. */
async function removeSocketDirectory(directory: string) {
  if (basename(directory).startsWith('gangway-')) await rm(directory, { recursive: true, force: true })
}

function alive(pid: number) {
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
    // It ended on its own.
  }
}
