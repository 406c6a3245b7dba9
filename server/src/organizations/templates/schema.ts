import Type, { type Static } from 'typebox'
import { Description, DisplayName, Nullable, Uuid } from '../../http/shapes.ts'
import { Contacts, GivenContacts } from '../contacts.ts'
import { Privileges } from '../privileges.ts'
import type { OrganizationTemplateRow } from '../../database/tables/organizations.ts'

const fields = {
  description: Type.Optional(Description),
  privileges: Type.Optional({ ...Nullable(Privileges), description: 'null: all that are above' }),
  contacts: Type.Optional(GivenContacts),
}

export const CreateOrganizationTemplate = Type.Object({ displayName: DisplayName, ...fields })
export type CreateOrganizationTemplate = Static<typeof CreateOrganizationTemplate>

export const ChangeOrganizationTemplate = Type.Object({ displayName: Type.Optional(DisplayName), ...fields })

export const OrganizationTemplateRecord = Type.Object(
  {
    id: Uuid,
    displayName: Type.String(),
    description: Description,
    privileges: Nullable(Type.Array(Type.String())),
    contacts: Contacts,
  },
  { title: 'OrganizationTemplate' },
)

export const templateShape = (row: OrganizationTemplateRow) => ({
  id: row.id,
  displayName: row.display_name,
  description: row.description,
  privileges: row.privileges,
  contacts: row.contacts,
})
