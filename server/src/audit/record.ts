/** Records who changed what and when, with the object before and after, in the transaction of the change. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'
import { newId } from '../lib/ids.ts'

export interface AuditEntry {
  /** `create`, `update`, `delete`, or the action's own verb, such as `flip-keys`. */
  action: string
  resourceType: string
  resourceId: string
  before?: object | null
  after?: object | null
}

/** A user, an API token, or the platform itself. */
export type Actor =
  | Pick<Caller, 'tenantId' | 'userId' | 'tokenId' | 'requestId'>
  | { tenantId: string; system: string }

/** @param entry contains public shapes, never a secret */
export const recordAudit = (db: Kysely<Tables>, actor: Actor, entry: AuditEntry): Promise<void> =>
  recordAudits(db, actor, [entry])

/** Records many entries in one statement. */
export async function recordAudits(db: Kysely<Tables>, actor: Actor, entries: AuditEntry[]): Promise<void> {
  const who =
    'system' in actor
      ? { type: 'system', id: actor.system, requestId: null }
      : {
          type: actor.tokenId ? 'api_token' : 'user',
          id: actor.tokenId ?? actor.userId,
          requestId: actor.requestId,
        }
  await sql`
    insert into audit_log
      (id, tenant_id, actor_type, actor_id, request_id, action, resource_type, resource_id, before, after)
    select entry.id, ${actor.tenantId}, ${who.type}, ${who.id}, ${who.requestId},
      entry.action, entry.resource_type, entry.resource_id, entry.before, entry.after
    from unnest(
      ${entries.map(newId)}::uuid[],
      ${entries.map((entry) => entry.action)}::text[],
      ${entries.map((entry) => entry.resourceType)}::text[],
      ${entries.map((entry) => entry.resourceId)}::text[],
      ${entries.map((entry) => toJson(entry.before))}::jsonb[],
      ${entries.map((entry) => toJson(entry.after))}::jsonb[]
    ) as entry (id, action, resource_type, resource_id, before, after)`.execute(db)
}

const toJson = (record: object | null | undefined) => (record ? JSON.stringify(record) : null)
