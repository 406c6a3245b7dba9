import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'

/** Left by processes that died meanwhile. */
const FORGOTTEN_SECONDS = 60

export async function insertHandover(db: Kysely<Tables>, id: string, body: string): Promise<void> {
  await sql`with forgotten as (
      delete from handovers where created_at < now() - make_interval(secs => ${FORGOTTEN_SECONDS})
    )
    insert into handovers (id, body) values (${id}, ${body})`.execute(db)
}

/** @returns what it held, or nothing where somebody else took it, or it is `maxAgeMs` old */
export async function deleteHandover(
  db: Kysely<Tables>,
  id: string,
  maxAgeMs = FORGOTTEN_SECONDS * 1000,
): Promise<string | undefined> {
  const row = await db
    .deleteFrom('handovers')
    .where('id', '=', id)
    .where('created_at', '>', sql<Date>`now() - make_interval(secs => ${maxAgeMs / 1000}::float8)`)
    .returning('body')
    .executeTakeFirst()
  return row?.body
}
