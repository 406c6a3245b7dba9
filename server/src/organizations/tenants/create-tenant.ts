/** A tenant is never empty: it comes with its root organization, its administrator and its provider `mqtt`. [contract §2] */
import type { Kysely } from 'kysely'
import { hashPassword } from '../../access/passwords.ts'
import { privileges as allPrivileges } from '../../access/privileges.ts'
import { insertRelations, insertTenantParent } from '../../access/relations.ts'
import type { Tables } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'
import { newId } from '../../lib/ids.ts'
import { insertProvider } from '../../providers/store.ts'

export interface NewTenant {
  id: string
  displayName: string
  plan: 'standard' | 'enterprise'
  privileges?: string[]
  administrator: { displayName: string; email: string; password: string }
}

/**
 * @param tx a transaction
 * @throws conflict when the id or the administrator's email is taken
 */
export async function createTenant(tx: Kysely<Tables>, tenant: NewTenant) {
  const privileges = tenant.privileges ?? [...allPrivileges]
  const row = await tx
    .insertInto('tenants')
    .values({ id: tenant.id, display_name: tenant.displayName, plan: tenant.plan, privileges })
    .onConflict((oc) => oc.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new ApiError('conflict', `There is a tenant ${tenant.id} already.`)
  const organizationId = await insertRootOrganization(tx, tenant, privileges)
  const userId = await insertAdministrator(tx, tenant)
  await insertTenantParent(tx, tenant.id, 'organization', organizationId)
  await insertTenantParent(tx, tenant.id, 'user', userId)
  const [user, owned] = [
    { subjectType: 'user', subjectId: userId },
    { resourceType: 'tenant', resourceId: tenant.id },
  ] as const
  await insertRelations(tx, tenant.id, [{ ...user, ...owned, relation: 'owner' }])
  await insertMqttProvider(tx, tenant.id, organizationId)
  return { row, userId, organizationId }
}

async function insertRootOrganization(tx: Kysely<Tables>, tenant: NewTenant, privileges: string[]) {
  const id = newId()
  await tx
    .insertInto('organizations')
    .values({ id, tenant_id: tenant.id, display_name: tenant.displayName, privileges })
    .execute()
  return id
}

async function insertAdministrator(tx: Kysely<Tables>, { id: tenantId, administrator }: NewTenant) {
  const row = await tx
    .insertInto('users')
    .values({
      id: newId(),
      tenant_id: tenantId,
      display_name: administrator.displayName,
      email: administrator.email,
      password_hash: await hashPassword(administrator.password),
    })
    .onConflict((oc) => oc.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!row) throw new ApiError('conflict', `The email ${administrator.email} belongs to a user already.`)
  return row.id
}

/** The tenant's way into the built-in broker. */
const insertMqttProvider = (tx: Kysely<Tables>, tenantId: string, organizationId: string) =>
  insertProvider(tx, tenantId, {
    id: 'mqtt',
    type: 'mqtt',
    displayName: 'MQTT',
    description: 'The built-in broker',
    organizationId,
  })
