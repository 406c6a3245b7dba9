import { open, rename, rm } from 'node:fs/promises'

/** Creates a file that only its owner can read, and syncs it to the disk. */
export async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Replaces a file; a crash leaves the old file or the new one. */
export async function replaceSynced(path: string, text: string): Promise<void> {
  await rm(`${path}.new`, { force: true })
  await writeSynced(`${path}.new`, text)
  await rename(`${path}.new`, path)
}
