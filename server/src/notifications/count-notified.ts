/** Counts the notifications that reach users, for the impact of removing a relation. [docs/access#impact] */
import { type Kysely, sql } from 'kysely'
import type { Notified } from '../access/relations/impact.ts'
import { queriesIn } from '../access/decisions/queries.ts'
import { findReaches, type Reach } from '../access/decisions/reach.ts'
import { visibleTo } from '../access/decisions/visible-to.ts'
import { isUuid } from '../http/page.ts'
import type { Tables } from '../database/tables.ts'
import { OF_ORGANIZATION } from './candidates.ts'

const types = ['notification', 'alarm', 'asset'] as const

/** Counts, by user and notification, the pairs of an alarm and one of its assets that would notify the user. */
export async function countNotified(
  tx: Kysely<Tables>,
  tenantId: string,
  subjectIds: string[],
): Promise<Notified[]> {
  // A relation may name a subject that does not exist.
  const userIds = subjectIds.filter(isUuid)
  const requests = userIds.flatMap((id) =>
    types.map((type) => ({
      tenantId,
      subject: { type: 'user' as const, id },
      type,
      permission: 'view' as const,
    })),
  )
  const reaches = await findReaches(queriesIn(tx), requests)
  const counted: Notified[] = []
  for (const [index, userId] of userIds.entries())
    counted.push(...(await countForUser(tx, tenantId, userId, reaches.slice(index * types.length))))
  return counted
}

async function countForUser(
  tx: Kysely<Tables>,
  tenantId: string,
  userId: string,
  [ofNotifications, ofAlarms, ofAssets]: Reach[],
): Promise<Notified[]> {
  const { rows } = await sql<Notified>`
    select ${userId} as "userId", n.id as "notificationId", count(*)::int as cases
    from notifications n
    join notification_alarms t on t.notification_id = n.id
    join alarms a on a.id = t.alarm_id
    join assets s on s.tenant_id = a.tenant_id and s.model_id = a.entity_type_id
      and (a.entity_ids = '{}' or s.id = any(a.entity_ids))
    where n.tenant_id = ${tenantId}
      and ${visibleTo(ofNotifications!, { id: 'n.id', organization: 'n.organization_id' })}
      and ${visibleTo(ofAlarms!, { id: 'a.id', organization: 'a.organization_id' })}
      and ${visibleTo(ofAssets!, { id: 's.id', organization: 's.organization_id' })}
      and (${isInContactGroup(tenantId, userId)} or (n.broadcast and ${isInOrganization(tenantId, userId)}))
    group by n.id order by n.id`.execute(tx)
  return rows
}

const isInContactGroup = (tenantId: string, userId: string) => sql`(
  exists (
    select from notification_contact_groups c join contact_group_users u using (contact_group_id)
    where c.notification_id = n.id and u.user_id = ${userId}
  ) or exists (
    select from notification_contact_groups c
    join contact_group_user_groups g using (contact_group_id)
    join relations r on r.tenant_id = ${tenantId} and r.resource_type = 'group' and r.resource_id = g.group_id::text
      and r.subject_type = 'user' and r.subject_id = ${userId}::text and r.relation = 'member'
    where c.notification_id = n.id
  ))`

const isInOrganization = (tenantId: string, userId: string) => sql`exists (
  select from relations o
  where o.tenant_id = ${tenantId} and o.resource_type = 'organization' and o.resource_id = n.organization_id::text
    and o.relation = any(${OF_ORGANIZATION}::text[])
    and (o.subject_type, o.subject_id) in (
      select 'user', ${userId}::text
      union all
      select 'group', r.resource_id from relations r
      where r.tenant_id = ${tenantId} and r.subject_type = 'user' and r.subject_id = ${userId}::text
        and r.resource_type = 'group' and r.relation = 'member'
    ))`
