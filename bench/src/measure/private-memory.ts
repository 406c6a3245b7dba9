/**
 * Memory of a process without what it shares. Anonymous pages are read, since the kernel counts a shared buffer that only
 * one process has touched as private to it. Linux only, as root or as the user of the process.
 */
import { readFile } from 'node:fs/promises'

/** @returns MiB, undefined if the process has ended @throws if it cannot be read */
export async function readPrivateMemory(pid: number): Promise<number | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(/^Anonymous:\s+(\d+) kB$/m.exec(text)![1]) / 1024
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

/** The title that a PostgreSQL process gives itself, such as `checkpointer`. */
export async function readTitle(pid: number): Promise<string> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return commandLine
    .replaceAll('\0', ' ')
    .replace(/^postgres: /, '')
    .trim()
}
