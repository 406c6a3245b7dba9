/**
 * Temporary files of a test run are in memory if there is enough of it. A run creates and deletes some 200,000 files,
 * most of them databases, and on a disk each new one takes longer while many were deleted just before.
 */
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const inMemory = '/dev/shm'
const TMPFS = 0x01021994
/** A run needs about a quarter of it. */
const MIN_FREE_BYTES = 4 * 1024 ** 3

/** Sets TMPDIR for this process and for those that it starts. @returns the clean-up */
export async function useScratchDirectory(): Promise<() => Promise<void>> {
  if (process.env.TMPDIR || !(await hasRoom())) return async () => {}
  const directory = await mkdtemp(join(inMemory, 'gangway-test-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  // PostgreSQL runs as another user if the tests run as root.
  await chmod(directory, 0o711)
  if (!(await canRunPrograms(directory))) {
    await remove()
    return async () => {}
  }
  process.env.TMPDIR = directory
  return async () => {
    delete process.env.TMPDIR
    await remove()
  }
}

async function hasRoom(): Promise<boolean> {
  const found = await statfs(inMemory).catch(() => undefined)
  return found?.type === TMPFS && Math.min(found.bavail * found.bsize, freemem()) >= MIN_FREE_BYTES
}

/** Containers often mount it with `noexec`, and tests run programs of their own. */
async function canRunPrograms(directory: string): Promise<boolean> {
  const program = join(directory, 'program')
  await writeFile(program, '#!/bin/sh\n', { mode: 0o755 })
  return promisify(execFile)(program).then(
    () => true,
    () => false,
  )
}
