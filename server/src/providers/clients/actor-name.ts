import type { Kysely } from 'kysely'
import type { Actor } from '../../audit/record.ts'
import type { Tables } from '../../database/tables.ts'

/** For messages to people of the same tenant: who it was. */
export async function actorName(db: Kysely<Tables>, actor: Actor): Promise<string> {
  if ('system' in actor) return actor.system
  const table = actor.tokenId ? ('api_tokens' as const) : ('users' as const)
  const row = await db
    .selectFrom(table)
    .select('display_name')
    .where('tenant_id', '=', actor.tenantId)
    .where('id', '=', actor.tokenId ?? actor.userId)
    .executeTakeFirst()
  const name = row?.display_name ?? 'somebody who is gone'
  return actor.tokenId ? `the API token ${name}` : name
}
