import Type, { type Static, type TSchema } from 'typebox'
import { Id, ObjectTypeName, RelationName } from '../access/relations/shapes.ts'
import { Description, DisplayName, Nullable, Uuid } from '../http/shapes.ts'
import { Contacts, GivenContacts } from './contacts.ts'
import { Privileges } from './privileges.ts'
import type { OrganizationRow } from '../database/tables/organizations.ts'

const list = <T extends TSchema>(item: T) => Type.Optional(Type.Array(item, { maxItems: 100 }))

/** [docs/access#relations] */
export const OrganizationRelations = Type.Object({
  GroupToOrgRelations: list(Type.Object({ groupId: Uuid, relation: RelationName })),
  UserToOrgRelations: list(Type.Object({ userId: Uuid, relation: RelationName })),
  OrgToResourceRelations: list(
    Type.Object({
      resourceId: Id,
      resourceType: ObjectTypeName,
      relation: RelationName,
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
  templateId: Type.Optional({ ...Uuid, description: 'Supplies the fields that this body omits' }),
  privileges: Type.Optional({ ...Privileges, description: 'All of those above, if absent' }),
  contacts: Type.Optional(GivenContacts),
  relations: Type.Optional(OrganizationRelations),
})
export type CreateOrganization = Static<typeof CreateOrganization>

export const ChangeOrganization = Type.Object({
  displayName: Type.Optional(DisplayName),
  description: Type.Optional(Description),
  contacts: Type.Optional(GivenContacts),
  privileges: Type.Optional(Privileges),
})
export type ChangeOrganization = Static<typeof ChangeOrganization>

/** Relations as an organization shows them. */
const ShownRelations = Type.Object(
  {
    GroupToOrgRelations: Type.Array(Type.Object({ groupId: Type.String(), relation: Type.String() })),
    UserToOrgRelations: Type.Array(Type.Object({ userId: Type.String(), relation: Type.String() })),
    OrgToResourceRelations: Type.Array(
      Type.Object({
        resourceId: Type.String(),
        resourceType: Type.String(),
        relation: Type.String(),
      }),
    ),
  },
  { description: 'Relations to resources that the caller may view. At most 100 of each kind' },
)
export type ShownRelations = Static<typeof ShownRelations>

export const OrganizationRecord = Type.Object(
  {
    id: Uuid,
    parentOrganizationId: Nullable(Uuid),
    displayName: Type.String(),
    description: Description,
    contacts: Contacts,
    privileges: Type.Array(Type.String()),
    relations: ShownRelations,
    moreRelations: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Kinds of relations that are shown incompletely; POST /v1/relations/query lists them all',
      }),
    ),
  },
  { title: 'Organization' },
)

/** The record in the audit log, where relations have their own entries. */
export const organizationShape = (row: OrganizationRow) => ({
  id: row.id,
  parentOrganizationId: row.parent_organization_id,
  displayName: row.display_name,
  description: row.description,
  contacts: row.contacts,
  privileges: row.privileges,
})
