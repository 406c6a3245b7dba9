import { type Kysely, sql } from 'kysely'
import { type Actor, type AuditEntry, recordAudit, recordAudits } from '../../audit/record.ts'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import type { ApiTokenRow } from '../../database/tables/access.ts'
import type { Caller } from '../../http/access.ts'
import { notFound, unauthorized } from '../../http/errors.ts'
import type { PageRequest } from '../../http/page.ts'
import { formatTimestamp } from '../../http/shapes.ts'
import { newId } from '../../lib/ids.ts'
import { newApiToken } from './verify.ts'

interface NewApiToken {
  displayName: string
  privileges: string[] | null
  expiresAt: Date | null
  /** Limits the token to what this dashboard shows. */
  dashboardId?: string
}

/** The public record, without the secret. */
export const apiTokenShape = (row: ApiTokenRow) => ({
  id: row.id,
  displayName: row.display_name,
  privileges: row.privileges,
  dashboardId: row.dashboard_id,
  expiresAt: formatTimestamp(row.expires_at),
  createdAt: formatTimestamp(row.created_at),
})

/**
 * Inserts a token. One that is created with another API token expires no later than that one.
 * @param tx a transaction
 * @throws unauthorized if the caller's token was revoked meanwhile
 */
export async function insertApiToken(tx: Kysely<Tables>, caller: Caller, wanted: NewApiToken) {
  const limit = caller.tokenId ? await getExpiry(tx, caller.tenantId, caller.tokenId) : null
  const id = newId()
  const { token, secretHash } = newApiToken(id)
  const row = await tx
    .insertInto('api_tokens')
    .values({
      id,
      tenant_id: caller.tenantId,
      user_id: caller.userId,
      display_name: wanted.displayName,
      secret_hash: secretHash,
      privileges: wanted.privileges,
      expires_at: limit && (wanted.expiresAt === null || wanted.expiresAt > limit) ? limit : wanted.expiresAt,
      parent_id: caller.tokenId,
      dashboard_id: wanted.dashboardId ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const after = apiTokenShape(row)
  await recordAudit(tx, caller, { action: 'create', resourceType: 'api_token', resourceId: id, after })
  return { ...after, token }
}

/** Also locks the token, so that it cannot be revoked before its child exists and would be revoked with it. */
async function getExpiry(tx: Kysely<Tables>, tenantId: string, tokenId: string): Promise<Date | null> {
  const row = await tx
    .selectFrom('api_tokens')
    .select('expires_at')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', tokenId)
    .forKeyShare()
    .executeTakeFirst()
  if (!row) throw unauthorized()
  return row.expires_at
}

/** SQL condition: a limited token manages the tokens created with it; other callers manage all tokens of their user. */
const isManagedBy = ({ tenantId, userId, tokenId, privileges }: Caller) => sql<boolean>`
  tenant_id = ${tenantId} and user_id = ${userId} and (${privileges === null} or parent_id = ${tokenId ?? null}::uuid)`

/** Returns one row more than the page's limit if more follow. */
export const listApiTokens = (
  db: Kysely<Tables>,
  caller: Caller,
  page: PageRequest,
): Promise<ApiTokenRow[]> =>
  pageAfter(db.selectFrom('api_tokens').selectAll().where(isManagedBy(caller)), 'id', page)

/**
 * Revokes the token and all tokens created with it, directly or indirectly. @param tx a transaction @throws not_found
 */
export async function deleteApiToken(tx: Kysely<Tables>, caller: Caller, id: string): Promise<void> {
  const { rows } = await sql<ApiTokenRow>`
    with recursive revoked (id) as (
      select id from api_tokens where id = ${id} and ${isManagedBy(caller)}
      union
      select child.id from revoked join api_tokens child
        on child.tenant_id = ${caller.tenantId} and child.parent_id = revoked.id
    )
    delete from api_tokens
    where tenant_id = ${caller.tenantId} and id in (select id from revoked) returning *`.execute(tx)
  if (rows.length === 0) throw notFound('API token', id)
  await recordAudits(tx, caller, rows.map(deletionEntry))
}

/** Lists the tokens of all users that are limited to the dashboard; one row more than the page's limit if more follow. */
export const listApiTokensOfDashboard = (
  db: Kysely<Tables>,
  { tenantId, dashboardId }: { tenantId: string; dashboardId: string },
  page: PageRequest,
) =>
  pageAfter(
    db
      .selectFrom('api_tokens as t')
      .innerJoin('users as u', 'u.id', 't.user_id')
      .selectAll('t')
      .select('u.display_name as user_name')
      .where('t.tenant_id', '=', tenantId)
      .where('t.dashboard_id', '=', dashboardId),
    't.id',
    page,
  )

/**
 * Revokes tokens that are limited to the dashboard. @param tx a transaction
 * @param id of one of them; all if absent
 * @throws not_found for an id that is none of them
 */
export async function deleteApiTokensOfDashboard(
  tx: Kysely<Tables>,
  actor: Actor,
  { dashboardId, id }: { dashboardId: string; id?: string },
): Promise<void> {
  const rows = await tx
    .deleteFrom('api_tokens')
    .where('tenant_id', '=', actor.tenantId)
    .where('dashboard_id', '=', dashboardId)
    .$if(id !== undefined, (query) => query.where('id', '=', id!))
    .returningAll()
    .execute()
  if (id !== undefined && rows.length === 0) throw notFound('API token', id)
  await recordAudits(tx, actor, rows.map(deletionEntry))
}

export async function deleteApiTokensOfUser(tx: Kysely<Tables>, actor: Actor, userId: string): Promise<void> {
  const rows = await tx
    .deleteFrom('api_tokens')
    .where('tenant_id', '=', actor.tenantId)
    .where('user_id', '=', userId)
    .returningAll()
    .execute()
  await recordAudits(tx, actor, rows.map(deletionEntry))
}

const deletionEntry = (row: ApiTokenRow): AuditEntry => ({
  action: 'delete',
  resourceType: 'api_token',
  resourceId: row.id,
  before: apiTokenShape(row),
})
