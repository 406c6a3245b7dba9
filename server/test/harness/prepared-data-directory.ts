/**
 * A data directory in which a server has started and stopped once. A server on a copy of it needs neither initdb nor
 * migrations, which take most of a first start. The first test that needs it makes it, for the whole run.
 */
import { execFile } from 'node:child_process'
import { access, mkdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject, vi } from 'vitest'

const preparedDirectory = (prefix: string) => join(tmpdir(), `${prefix}-data`)

/** @param startOnce starts a server on a data directory and stops it */
export async function copyPreparedDirectory(
  to: string,
  startOnce: (dataDir: string) => Promise<void>,
): Promise<void> {
  const prepared = preparedDirectory(inject('testServer').prefix)
  const unfinished = `${prepared}-unfinished`
  const isMaker = await mkdir(unfinished, { mode: 0o711 }).then(
    () => true,
    () => false,
  )
  if (isMaker) {
    await startOnce(unfinished)
    await rename(unfinished, prepared)
    // Remains to show that it was made.
    await mkdir(unfinished)
  }
  await vi.waitUntil(() => exists(prepared), { interval: 50 })
  // PostgreSQL's files keep their owner.
  await promisify(execFile)('cp', ['-a', `${prepared}/.`, to])
}

export async function removePreparedDirectory(prefix: string): Promise<void> {
  const prepared = preparedDirectory(prefix)
  for (const directory of [prepared, `${prepared}-unfinished`])
    await rm(directory, { recursive: true, force: true })
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )
