/** The contacts of an organization: users and groups of its tenant. [docs/organizations#organizations] */
import { type Kysely, sql } from 'kysely'
import Type, { type Static } from 'typebox'
import type { Tables } from '../database/tables.ts'
import { validationError } from '../http/errors.ts'
import { Uuid } from '../http/shapes.ts'

const Ids = Type.Array(Uuid, { maxItems: 1000, uniqueItems: true })

export const Contacts = Type.Object(
  { notifications: Type.Object({ userGroups: Ids, users: Ids }) },
  { title: 'OrganizationContacts' },
)
export type Contacts = Static<typeof Contacts>

/** Contacts in a request, where either list may be absent. */
export const GivenContacts = Type.Object({
  notifications: Type.Object({ userGroups: Type.Optional(Ids), users: Type.Optional(Ids) }),
})
export type GivenContacts = Static<typeof GivenContacts>

export const noContacts: Contacts = { notifications: { userGroups: [], users: [] } }

const tableByKind = { users: 'users', userGroups: 'groups' } as const
type Kind = keyof typeof tableByKind

/** @returns the previous contacts with the given lists replaced */
export const mergeContacts = (before: Contacts, given: GivenContacts | undefined): Contacts => ({
  notifications: { ...before.notifications, ...given?.notifications },
})

/** @throws validation_error that names ids which do not exist in the tenant */
export async function requireContacts(
  db: Kysely<Tables>,
  tenantId: string,
  { notifications }: Contacts,
): Promise<void> {
  for (const kind of ['users', 'userGroups'] as const) {
    const ids = notifications[kind]
    if (ids.length === 0) continue
    const found = await db
      .selectFrom(tableByKind[kind])
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('id', 'in', ids)
      .execute()
    const known = new Set(found.map((row) => row.id))
    const unknown = ids.filter((id) => !known.has(id))
    if (unknown.length > 0)
      throw validationError({
        path: `contacts.notifications.${kind}`,
        message: `names none of this tenant: ${unknown.join(', ')}`,
      })
  }
}

/** Removes a deleted user or group from all contacts. */
export async function deleteContact(
  tx: Kysely<Tables>,
  tenantId: string,
  kind: Kind,
  id: string,
): Promise<void> {
  for (const table of ['organizations', 'organization_templates'] as const)
    await sql`
      update ${sql.table(table)}
      set contacts = contacts #- array['notifications', ${kind}, (
        select (at - 1)::text
        from jsonb_array_elements_text(contacts #> array['notifications', ${kind}]) with ordinality as c (id, at)
        where c.id = ${id}
      )]
      where tenant_id = ${tenantId} and contacts #> array['notifications', ${kind}] ? ${id}`.execute(tx)
}
