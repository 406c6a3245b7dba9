/**
 * Creates a tenant with its root organization, its administrator and its provider `mqtt`. [docs/organizations#tenants]
 */
import type { Kysely } from 'kysely'
import { hashPassword } from '../../access/sign-in/passwords.ts'
import { privileges as allPrivileges } from '../../access/privileges.ts'
import { insertRelations } from '../../access/relations/store.ts'
import type { Tables } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'
import { insertProvider } from '../../providers/store.ts'
import { insertUser } from '../../users/store.ts'
import { noContacts } from '../contacts.ts'
import { insertOrganization } from '../store.ts'

export interface NewTenant {
  id: string
  displayName: string
  plan: 'standard' | 'enterprise'
  privileges?: string[]
  administrator: { displayName: string; email: string; password: string }
}

/**
 * @param tx a transaction
 * @throws conflict if the id or the administrator's email is taken
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
  const { displayName, administrator } = tenant
  const root = await insertOrganization(tx, tenant.id, null, {
    displayName,
    description: null,
    privileges,
    contacts: noContacts,
  })
  const user = await insertUser(tx, tenant.id, {
    ...administrator,
    passwordHash: await hashPassword(administrator.password),
  })
  const [subject, resource] = [
    { subjectType: 'user', subjectId: user.id },
    { resourceType: 'tenant', resourceId: tenant.id },
  ] as const
  await insertRelations(tx, tenant.id, [{ ...subject, ...resource, relation: 'owner' }])
  await insertMqttProvider(tx, tenant.id, root.id)
  return { row, userId: user.id, organizationId: root.id }
}

/** Inserts the provider of the built-in broker. */
const insertMqttProvider = (tx: Kysely<Tables>, tenantId: string, organizationId: string) =>
  insertProvider(tx, tenantId, {
    id: 'mqtt',
    type: 'mqtt',
    displayName: 'MQTT',
    description: 'The built-in broker',
    organizationId,
  })
