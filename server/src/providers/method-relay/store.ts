import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'

/** Older rows were left by nodes that stopped before they could delete them. */
const MAX_AGE_SECONDS = 60

export async function insertRelayedMessage(db: Kysely<Tables>, id: string, body: string): Promise<void> {
  await sql`with forgotten as (
      delete from handovers where created_at < now() - make_interval(secs => ${MAX_AGE_SECONDS})
    )
    insert into handovers (id, body) values (${id}, ${body})`.execute(db)
}

/** @returns the body; undefined if the row was deleted already, or is older than `maxAgeMs` */
export async function deleteRelayedMessage(
  db: Kysely<Tables>,
  id: string,
  maxAgeMs = MAX_AGE_SECONDS * 1000,
): Promise<string | undefined> {
  const row = await db
    .deleteFrom('handovers')
    .where('id', '=', id)
    .where('created_at', '>', sql<Date>`now() - make_interval(secs => ${maxAgeMs / 1000}::float8)`)
    .returning('body')
    .executeTakeFirst()
  return row?.body
}
