/**
 * The password of PostgreSQL's roles. A server of root runs PostgreSQL as the system user `nobody`. Other services may run
 * as that user too, and the password keeps them out of the database. The sealed password is stored beside the cluster. If it is unknown (a new cluster, a cluster of an older
 * version without passwords, a lost file), a new one is set before PostgreSQL accepts connections.
 */
import { randomBytes } from 'node:crypto'
import { chown, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findTextFile } from '../../lib/find-text-file.ts'
import type { Sealer } from '../../lib/seal.ts'
import { findKeyAdvice } from '../../lib/secret-key.ts'
import { replaceSynced } from '../../lib/write-synced.ts'
import { superuser } from './cluster.ts'
import { EmbeddedDatabaseError } from './error.ts'
import { retryWhilePassing } from './passing.ts'
import type { Place } from './place.ts'
import type { Programs } from './programs.ts'
import { run } from './run.ts'
import { type Settings, settingArguments } from './settings.ts'

const sealedPlace = 'embedded PostgreSQL password'

export const passwordFile = ({ directory }: Pick<Place, 'directory'>) => join(directory, 'postgres.password')

export const makePassword = () => randomBytes(32).toString('base64url')

/**
 * @param sealer undefined if the secret key is missing
 * @returns undefined if there is none
 * @throws EmbeddedDatabaseError if the secret key does not open it
 */
export async function findPassword(place: Place, sealer: Sealer | undefined): Promise<string | undefined> {
  const path = passwordFile(place)
  const text = await findTextFile(path)
  if (text === undefined) return undefined
  if (!sealer)
    throw new EmbeddedDatabaseError(
      `The secret key of the database in ${place.directory} is missing. ${findKeyAdvice} Without the key the stored secrets are lost.`,
    )
  for (const line of text.split('\n').filter(Boolean))
    try {
      return sealer.open(Buffer.from(line, 'base64'), sealedPlace)
    } catch {
      // Another line may fit: during a key rotation there is one line for each key.
    }
  throw new EmbeddedDatabaseError(
    `The secret key does not open ${path}: it is not the key of the database in ${place.directory}. ` +
      findKeyAdvice,
  )
}

/** @param sealers the password is stored once for each of them */
export async function writePassword(place: Pick<Place, 'directory'>, password: string, sealers: Sealer[]) {
  const lines = sealers.map((sealer) => `${sealer.seal(password, sealedPlace).toString('base64')}\n`)
  await replaceSynced(passwordFile(place), lines.join(''))
}

/** Uses PostgreSQL's single-user mode, since a connection would need the password. */
export async function setPassword(place: Place, programs: Programs, password: string, settings: Settings) {
  const args = ['--single', '-D', place.cluster, '-c', 'exit_on_error=on', ...settingArguments(settings)]
  const input = `alter role ${superuser} password '${password}'\n`
  await retryWhilePassing(async () => {
    const { ok, output } = await run(programs.postgres, [...args, 'postgres'], { ...place.account, input })
    return ok ? undefined : output
  })
}

const accessRules = `# Written by Gangway at each start.
local all all scram-sha-256
`

/** Clusters of older versions accepted every connection to the socket. */
export async function requirePassword({ cluster, account }: Place) {
  const path = join(cluster, 'pg_hba.conf')
  if ((await findTextFile(path)) === accessRules) return
  await writeFile(`${path}.new`, accessRules, { mode: 0o600 })
  if (account) await chown(`${path}.new`, account.uid, account.gid)
  await rename(`${path}.new`, path)
}
