import Type from 'typebox'
import { Description, DisplayName, Uuid } from '../../http/shapes.ts'
import type { GroupRow } from '../../database/tables/users.ts'

export const CreateGroup = Type.Object({ displayName: DisplayName, description: Type.Optional(Description) })

export const ChangeGroup = Type.Object({
  displayName: Type.Optional(DisplayName),
  description: Type.Optional(Description),
})

export const GroupRecord = Type.Object(
  { id: Uuid, displayName: Type.String(), description: Description },
  { title: 'Group' },
)

export const groupShape = (row: GroupRow) => ({
  id: row.id,
  displayName: row.display_name,
  description: row.description,
})
