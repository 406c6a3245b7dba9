import { open } from 'node:fs/promises'

/** Makes a file for its owner alone, on the disk when it returns. Renamed into place, a crash leaves the old one or the new. */
export async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
