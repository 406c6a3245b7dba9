import { createHash } from 'node:crypto'
import type pg from 'pg'
import { databaseIdentity } from '../database/identity.ts'

/**
 * The first token of the installation's subjects in NATS. It identifies the database, so that installations that share
 * a NATS do not receive each other's messages. A physical copy of a database (of its files, or a replica that was promoted)
 * has the same token and needs a NATS account of its own; one that was restored from a backup has its own token.
 */
export async function readSubjectPrefix(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ identity: string }>(`select (${databaseIdentity}) as identity`)
  const hash = createHash('sha256').update(rows[0]!.identity).digest('hex')
  return `gangway.${hash.slice(0, 16)}`
}
