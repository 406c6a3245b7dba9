import Type, { type Static } from 'typebox'
import { objectTypes, relations } from '../access/schema.ts'
import { Description, DisplayName, Nullable, Uuid } from '../http/shapes.ts'
import { Contacts } from './contacts.ts'
import { Privileges } from './privileges.ts'
import type { OrganizationRow } from './store.ts'

const Relation = Type.Enum([...relations])
const list = <T extends Type.TSchema>(item: T) => Type.Optional(Type.Array(item, { maxItems: 1000 }))

/** [interface, Organization: relations] */
export const OrganizationRelations = Type.Object({
  GroupToOrgRelations: list(Type.Object({ groupId: Uuid, relation: Relation })),
  UserToOrgRelations: list(Type.Object({ userId: Uuid, relation: Relation })),
  OrgToResourceRelations: list(
    Type.Object({
      resourceId: Type.String({ minLength: 1, maxLength: 128 }),
      resourceType: Type.Enum([...objectTypes]),
      relation: Relation,
    }),
  ),
})
export type OrganizationRelations = Static<typeof OrganizationRelations>

export const CreateOrganization = Type.Object({
  displayName: DisplayName,
  description: Type.Optional(Description),
  parentOrganizationId: Type.Optional({
    ...Nullable(Uuid),
    description: 'Absent or null for a root organization',
  }),
  templateId: Type.Optional({ ...Uuid, description: 'Fills in what this body leaves out' }),
  privileges: Type.Optional({ ...Privileges, description: 'All of those above, where absent' }),
  contacts: Type.Optional(Contacts),
  relations: Type.Optional(OrganizationRelations),
})
export type CreateOrganization = Static<typeof CreateOrganization>

export const ChangeOrganization = Type.Object({
  displayName: Type.Optional(DisplayName),
  description: Type.Optional(Description),
  contacts: Type.Optional(Contacts),
  privileges: Type.Optional(Privileges),
})
export type ChangeOrganization = Static<typeof ChangeOrganization>

export const OrganizationRecord = Type.Object(
  {
    id: Uuid,
    parentOrganizationId: Nullable(Uuid),
    displayName: Type.String(),
    description: Description,
    contacts: Contacts,
    privileges: Type.Array(Type.String()),
  },
  { title: 'Organization' },
)

export const organizationShape = (row: OrganizationRow) => ({
  id: row.id,
  parentOrganizationId: row.parent_organization_id,
  displayName: row.display_name,
  description: row.description,
  contacts: row.contacts,
  privileges: row.privileges,
})
