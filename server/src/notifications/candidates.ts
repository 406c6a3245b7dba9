/** Lists the candidates for a notification: the users of its contact groups and of its organization, each once. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'

export interface Candidate {
  userId: string
  displayName: string
  email: string | null
  phoneNumber: string | null
  disabled: boolean
  inContactGroup: boolean
  inOrganization: boolean
}

/** A user with one of these relations to the organization, directly or as a member of a group, is one of its users. */
export const OF_ORGANIZATION = ['member', 'manager', 'owner']

/** Returns candidates ordered by id. */
export async function listCandidates(
  db: Kysely<Tables>,
  notification: { id: string; tenant_id: string; organization_id: string },
): Promise<Candidate[]> {
  const { id, tenant_id: tenantId, organization_id: organizationId } = notification
  const { rows } = await sql<Candidate>`
    with listed (user_id, in_contact_group) as (
      select u.user_id, true
      from notification_contact_groups n join contact_group_users u using (contact_group_id)
      where n.notification_id = ${id}
      union all
      select m.user_id, true
      from notification_contact_groups n
      join contact_group_user_groups g using (contact_group_id)
      ${membersOf(tenantId, sql`g.group_id::text`)}
      where n.notification_id = ${id}
      union all
      select o.subject_id::uuid, false
      from relations o
      where ${isInOrganization(tenantId, organizationId)} and o.subject_type = 'user'
      union all
      select m.user_id, false
      from relations o ${membersOf(tenantId, sql`o.subject_id`)}
      where ${isInOrganization(tenantId, organizationId)} and o.subject_type = 'group'
      union all
      -- Who owns the tenant need not stand in any relation to an organization: they are of its root organization.
      select r.subject_id::uuid, false
      from organizations o
      join relations r on r.tenant_id = o.tenant_id and r.resource_type = 'tenant' and r.resource_id = o.tenant_id
        and r.subject_type = 'user' and r.relation = 'owner'
      where o.tenant_id = ${tenantId} and o.id = ${organizationId} and o.parent_organization_id is null
    ), named as (
      select user_id, bool_or(in_contact_group) as in_contact_group, not bool_and(in_contact_group) as in_organization
      from listed group by user_id
    )
    select u.id as "userId", u.display_name as "displayName", u.email, u.phone_number as "phoneNumber",
      u.disabled_at is not null as disabled, n.in_contact_group as "inContactGroup", n.in_organization as "inOrganization"
    from named n
    cross join lateral (select * from users where id = n.user_id and tenant_id = ${tenantId} offset 0) u
    order by u.id`.execute(db)
  return rows
}

const isInOrganization = (tenantId: string, organizationId: string) => sql`
  o.tenant_id = ${tenantId} and o.resource_type = 'organization' and o.resource_id = ${organizationId}
    and o.relation = any(${OF_ORGANIZATION}::text[])`

/**
 * Joins the users of a group, as `m`. `offset 0` makes the database look up each group and each user by its index:
 * without statistics, as after an import, it may otherwise compare every candidate with every user of the tenant.
 */
const membersOf = (tenantId: string, groupId: RawBuilder<unknown>) => sql`
  cross join lateral (
    select subject_id::uuid as user_id from relations
    where tenant_id = ${tenantId} and resource_type = 'group' and resource_id = ${groupId}
      and subject_type = 'user' and relation = 'member'
    offset 0
  ) m`
