/**
 * The installation's secret keys: GANGWAY_SECRET_KEY, or a file in the data directory that is made once. The file has a
 * key a line, base64, the newest first; there is more than one only while a rotation is under way.
 */
import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { newId } from './ids.ts'

export const secretKeyFile = (dataDir: string) => join(dataDir, 'secret.key')

export async function loadSecretKeys({
  secretKey,
  dataDir,
}: Pick<Config, 'secretKey' | 'dataDir'>): Promise<Buffer[]> {
  if (secretKey) return [secretKey]
  const path = secretKeyFile(dataDir)
  const text = (await readIfThere(path)) ?? (await makeFile(path, dataDir))
  const keys = text
    .split('\n')
    .filter(Boolean)
    .map((line) => Buffer.from(line, 'base64'))
  if (keys.length === 0 || keys.some((key) => key.length !== 32))
    throw new Error(`${path} is damaged: each line has to be 32 bytes in base64. Restore it from a backup.`)
  return keys
}

export const keyFileText = (keys: Buffer[]) => keys.map((key) => `${key.toString('base64')}\n`).join('')

/** Written and synced beside its place, so that a crash leaves either the old file or the new one. */
export async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function makeFile(path: string, dataDir: string) {
  await mkdir(dataDir, { recursive: true })
  const temporary = `${path}.${newId()}`
  await writeSynced(temporary, keyFileText([randomBytes(32)]))
  // A link, unlike a rename, never replaces a key that another process made meanwhile.
  await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await unlink(temporary)
  return readFile(path, 'utf8')
}

const readIfThere = (path: string) =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
