/**
 * Chooses the user account that PostgreSQL runs as. PostgreSQL refuses to run as root. A server of root therefore starts it
 * as the owner of the cluster's files, or as the system user `nobody`.
 */
import { stat } from 'node:fs/promises'
import { EmbeddedDatabaseError } from './error.ts'
import { type Account, run } from './run.ts'

const isRoot = () => process.getuid?.() === 0

/** @returns undefined if PostgreSQL runs as the server's own account */
export async function chooseAccount(cluster: string): Promise<Account | undefined> {
  const owner = await stat(cluster).catch(() => undefined)
  if (!isRoot()) {
    if (owner && owner.uid !== process.getuid?.())
      throw new EmbeddedDatabaseError(
        `The database in ${cluster} belongs to user id ${owner.uid}, and this server runs as ${process.getuid?.()}. ` +
          'Start the server as the user who started it before, or give the files to this user with chown -R.',
      )
    return undefined
  }
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : findNobody()
}

async function findNobody(): Promise<Account> {
  const [uid, gid] = await Promise.all([run('id', ['-u', 'nobody']), run('id', ['-g', 'nobody'])])
  if (!uid.ok || !gid.ok)
    throw new EmbeddedDatabaseError(
      'PostgreSQL does not run as root, and this system has no user "nobody" to run it as. ' +
        'Start the server as an ordinary user, or set DATABASE_URL.',
    )
  // | 0: macOS prints -2 as an unsigned number, which spawn does not accept.
  const account = { uid: Number(uid.output) | 0, gid: Number(gid.output) | 0 }
  const trial = await run('/bin/sh', ['-c', ':'], account)
  if (trial.ok) return account
  throw new EmbeddedDatabaseError(
    `PostgreSQL does not run as root, and starting a program as "nobody" fails here: ${trial.output}. ` +
      'Start the server as an ordinary user, or set DATABASE_URL.',
  )
}
