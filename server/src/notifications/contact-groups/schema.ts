import type { Selectable } from 'kysely'
import Type, { type Static } from 'typebox'
import type { NotificationTables } from '../../database/tables/notifications.ts'
import { Description, DisplayName, Uuid } from '../../http/shapes.ts'

const MAX_USERS = 10_000
const MAX_USER_GROUPS = 1000

const ids = (maxItems: number) => Type.Optional(Type.Array(Uuid, { maxItems }))

export const CreateContactGroup = Type.Object({
  displayName: DisplayName,
  description: Type.Optional(Description),
  organizationId: Uuid,
  users: ids(MAX_USERS),
  userGroups: ids(MAX_USER_GROUPS),
})
export type CreateContactGroup = Static<typeof CreateContactGroup>

export const ChangeContactGroup = Type.Object({
  displayName: Type.Optional(DisplayName),
  description: Type.Optional(Description),
  users: ids(MAX_USERS),
  userGroups: ids(MAX_USER_GROUPS),
})
export type ChangeContactGroup = Static<typeof ChangeContactGroup>

export const ContactGroupRecord = Type.Object(
  {
    id: Uuid,
    displayName: Type.String(),
    description: Description,
    organizationId: Uuid,
    users: Type.Array(Uuid),
    userGroups: Type.Array(Uuid),
  },
  { title: 'ContactGroup' },
)

export type ContactGroupRow = Selectable<NotificationTables['contact_groups']> & {
  users: string[]
  user_groups: string[]
}

export const contactGroupShape = (row: ContactGroupRow) => ({
  id: row.id,
  displayName: row.display_name,
  description: row.description,
  organizationId: row.organization_id,
  users: row.users,
  userGroups: row.user_groups,
})
