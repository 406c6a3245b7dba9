import type { Kysely } from 'kysely'
import type { Actor } from '../../audit/record.ts'
import type { Tables } from '../../database/tables.ts'

/** Returns the display name of an actor, for messages to users of the same tenant. */
export async function actorName(db: Kysely<Tables>, actor: Actor): Promise<string> {
  if ('system' in actor) return actor.system
  const table = actor.tokenId ? ('api_tokens' as const) : ('users' as const)
  const row = await db
    .selectFrom(table)
    .select('display_name')
    .where('tenant_id', '=', actor.tenantId)
    .where('id', '=', actor.tokenId ?? actor.userId)
    .executeTakeFirst()
  const name = row?.display_name ?? 'a deleted user'
  return actor.tokenId ? `the API token ${name}` : name
}
