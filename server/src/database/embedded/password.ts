/**
 * The password of PostgreSQL's roles. Root runs PostgreSQL as `nobody`, as it runs other services, and none of those may
 * use the database. The password stands sealed beside the cluster. Where it is not known (a new cluster, one of an older
 * version that trusted its whole account, a lost file) PostgreSQL gets a new one before it accepts any connection.
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
import { untilItPasses } from './passing.ts'
import type { Place } from './place.ts'
import type { Programs } from './programs.ts'
import { run } from './run.ts'
import { type Settings, settingArguments } from './settings.ts'

const sealedPlace = 'embedded PostgreSQL password'

export const passwordFile = ({ directory }: Pick<Place, 'directory'>) => join(directory, 'postgres.password')

export const makePassword = () => randomBytes(32).toString('base64url')

/**
 * @param sealer undefined where the secret key is missing
 * @returns undefined where there is none
 * @throws EmbeddedDatabaseError when the secret key does not open it
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
      // Perhaps another line: while the secret key is rotated there is one for each key.
    }
  throw new EmbeddedDatabaseError(
    `The secret key does not open ${path}: it is not the key of the database in ${place.directory}. ` +
      findKeyAdvice,
  )
}

/** @param sealers each of them can open it afterwards */
export async function keepPassword(place: Pick<Place, 'directory'>, password: string, sealers: Sealer[]) {
  const lines = sealers.map((sealer) => `${sealer.seal(password, sealedPlace).toString('base64')}\n`)
  await replaceSynced(passwordFile(place), lines.join(''))
}

/** By a PostgreSQL that listens nowhere, since a connection would need the password. */
export async function setPassword(place: Place, programs: Programs, password: string, settings: Settings) {
  const args = ['--single', '-D', place.cluster, '-c', 'exit_on_error=on', ...settingArguments(settings)]
  const input = `alter role ${superuser} password '${password}'\n`
  await untilItPasses(async () => {
    const { ok, output } = await run(programs.postgres, [...args, 'postgres'], { ...place.account, input })
    return ok ? undefined : output
  })
}

const accessRules = `# Written by Gangway at each start.
local all all scram-sha-256
`

/** Clusters of older versions trusted everybody who reached the socket. */
export async function demandPassword({ cluster, account }: Place) {
  const path = join(cluster, 'pg_hba.conf')
  if ((await findTextFile(path)) === accessRules) return
  await writeFile(`${path}.new`, accessRules, { mode: 0o600 })
  if (account) await chown(`${path}.new`, account.uid, account.gid)
  await rename(`${path}.new`, path)
}
