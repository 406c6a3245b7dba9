/** Lists the candidates for a notification: the users of its contact groups and of its organization, each once. */
import { type Kysely, sql } from 'kysely'
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
    with named (user_id, in_contact_group) as (
      select u.user_id, true
      from notification_contact_groups n join contact_group_users u using (contact_group_id)
      where n.notification_id = ${id}
      union all
      select r.subject_id::uuid, true
      from notification_contact_groups n
      join contact_group_user_groups g using (contact_group_id)
      join relations r on r.tenant_id = ${tenantId} and r.resource_type = 'group'
        and r.resource_id = g.group_id::text and r.subject_type = 'user' and r.relation = 'member'
      where n.notification_id = ${id}
      union all
      select coalesce(m.subject_id, o.subject_id)::uuid, false
      from relations o
      left join relations m on o.subject_type = 'group' and m.tenant_id = ${tenantId} and m.resource_type = 'group'
        and m.resource_id = o.subject_id and m.subject_type = 'user' and m.relation = 'member'
      where o.tenant_id = ${tenantId} and o.resource_type = 'organization' and o.resource_id = ${organizationId}
        and o.relation = any(${OF_ORGANIZATION}::text[])
        and (o.subject_type = 'user' or m.subject_id is not null)
      union all
      -- Who owns the tenant need not stand in any relation to an organization: they are of its root organization.
      select r.subject_id::uuid, false
      from organizations o
      join relations r on r.tenant_id = o.tenant_id and r.resource_type = 'tenant' and r.resource_id = o.tenant_id
        and r.subject_type = 'user' and r.relation = 'owner'
      where o.tenant_id = ${tenantId} and o.id = ${organizationId} and o.parent_organization_id is null
    )
    select u.id as "userId", u.display_name as "displayName", u.email, u.phone_number as "phoneNumber",
      u.disabled_at is not null as disabled,
      bool_or(n.in_contact_group) as "inContactGroup", not bool_and(n.in_contact_group) as "inOrganization"
    from named n
    join users u on u.id = n.user_id and u.tenant_id = ${tenantId}
    group by u.id order by u.id`.execute(db)
  return rows
}
