import { createHash } from 'node:crypto'
import type pg from 'pg'

/**
 * The first token of the installation's subjects in NATS. It identifies the database, so that installations that share
 * a NATS, such as one that was restored from a backup of the other, do not receive each other's messages.
 */
export async function readSubjectPrefix(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ identity: string }>(
    `select (select system_identifier from pg_control_system()) || ' ' || oid as identity
     from pg_database where datname = current_database()`,
  )
  const hash = createHash('sha256').update(rows[0]!.identity).digest('hex')
  return `gangway.${hash.slice(0, 16)}`
}
