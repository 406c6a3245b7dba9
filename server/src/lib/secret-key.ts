/**
 * The secret keys of the installation: GANGWAY_SECRET_KEY, or a file in the data directory that is created once. The file
 * has one key per line in base64, the newest first; it has several only during a rotation.
 */
import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { findTextFile } from './find-text-file.ts'
import { newId } from './ids.ts'
import { writeSynced } from './write-synced.ts'

export class SecretKeyError extends Error {
  override name = 'SecretKeyError'
}

/** Advice in errors about a missing key. */
export const findKeyAdvice =
  'Put your copy of secret.key into the data directory, or set GANGWAY_SECRET_KEY to it. A sealed backup holds it: ' +
  'restored into an empty directory (GANGWAY_DATA_DIR=DIRECTORY npm run restore -- FILE), it writes it there.'

export const secretKeyFile = (dataDir: string) => join(dataDir, 'secret.key')

/**
 * @returns undefined if there is none yet
 * @throws SecretKeyError if the file is damaged
 */
export async function findSecretKeys({
  secretKey,
  dataDir,
}: {
  secretKey?: Config['secretKey']
  dataDir: string
}): Promise<Buffer[] | undefined> {
  if (secretKey) return [secretKey]
  const path = secretKeyFile(dataDir)
  const text = await findTextFile(path)
  return text === undefined ? undefined : parseKeys(text, path)
}

/** If several processes create the file at once, all return the same key. */
export async function makeSecretKeys(dataDir: string): Promise<Buffer[]> {
  await mkdir(dataDir, { recursive: true })
  const path = secretKeyFile(dataDir)
  const temporary = `${path}.${newId()}`
  await writeSynced(temporary, keyFileText([randomBytes(32)]))
  // A link, unlike a rename, never replaces a key that another process created meanwhile.
  await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await unlink(temporary)
  return parseKeys(await readFile(path, 'utf8'), path)
}

export const keyFileText = (keys: Buffer[]) => keys.map((key) => `${key.toString('base64')}\n`).join('')

/** @throws SecretKeyError */
export function parseKeys(text: string, path: string): Buffer[] {
  const keys = text
    .split('\n')
    .filter(Boolean)
    .map((line) => Buffer.from(line, 'base64'))
  if (keys.length === 0 || keys.some((key) => key.length !== 32))
    throw new SecretKeyError(`${path} is damaged: each line has to be 32 bytes in base64. ${findKeyAdvice}`)
  return keys
}
