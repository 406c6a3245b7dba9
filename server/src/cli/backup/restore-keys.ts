/** Chooses the secret keys of the restored database before anything changes. */
import { mkdir } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import type { EmbeddedDatabase } from '../../database/embedded/start.ts'
import { createSealer } from '../../lib/seal.ts'
import { findSecretKeys, keyFileText, parseKeys, secretKeyFile } from '../../lib/secret-key.ts'
import { replaceSynced } from '../../lib/write-synced.ts'
import { BackupError } from './error.ts'
import { type Manifest, keysOpen } from './manifest.ts'

export interface KeyChoice {
  /** Secret keys of the restored database. */
  keys: Buffer[]
  /** Present secret keys of the installation; undefined if it has none. */
  present: Buffer[] | undefined
  /** The keys must be written to `secret.key`. */
  areNew: boolean
}

type KeyConfig = Pick<Config, 'secretKey' | 'dataDir'>

interface KeySource {
  manifest: Manifest
  /** The text of `secret.key` in a sealed backup. */
  secretKeyText: string | undefined
}

/** @throws BackupError if no key opens the secrets of the backup */
export async function chooseKeys(
  config: KeyConfig,
  { manifest, secretKeyText }: KeySource,
  replace: boolean,
): Promise<KeyChoice> {
  const present = await findSecretKeys(config)
  const file = secretKeyFile(config.dataDir)
  if (present && keysOpen(present, manifest)) return { keys: present, present, areNew: false }
  if (secretKeyText === undefined)
    throw new BackupError(`${describeKeyProblem(config, present)} ${describeKeyAdvice(file)}`)
  if (config.secretKey)
    throw new BackupError(
      'GANGWAY_SECRET_KEY is not the key of this backup, which holds its own key. Unset GANGWAY_SECRET_KEY.',
    )
  if (present && !replace)
    throw new BackupError(
      `${file} is not the key of this backup, which holds its own key. Restore into another directory ` +
        '(GANGWAY_DATA_DIR), or add --replace: the old key is then kept beside the new one.',
    )
  return { keys: parseKeys(secretKeyText, 'The key in the backup'), present, areNew: true }
}

const describeKeyProblem = ({ secretKey, dataDir }: KeyConfig, present: Buffer[] | undefined) =>
  secretKey
    ? 'GANGWAY_SECRET_KEY is not the key of this backup.'
    : present
      ? `${secretKeyFile(dataDir)} is not the key of this backup.`
      : 'This backup needs the secret key of its installation, which is not in it.'

const describeKeyAdvice = (file: string) =>
  `Put the secret.key of the installation that was backed up at ${file}, or set GANGWAY_SECRET_KEY to it.`

/** Also seals the embedded database's password with old and new keys, so that it opens after a crash in between. */
export async function writeKeys(
  dataDir: string,
  { keys, present, areNew }: KeyChoice,
  embedded: EmbeddedDatabase | undefined,
): Promise<void> {
  if (!areNew) return
  const file = secretKeyFile(dataDir)
  await mkdir(dataDir, { recursive: true })
  if (present) {
    if (embedded?.isPasswordKept) await embedded.keepPassword(createSealer(keys), createSealer(present))
    await replaceSynced(
      `${file}.replaced-${new Date().toISOString().replaceAll(':', '-')}`,
      keyFileText(present),
    )
  }
  await replaceSynced(file, keyFileText(keys))
}
