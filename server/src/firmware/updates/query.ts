/** What narrows a list of updates. */
import Type, { type Static } from 'typebox'
import { PlatformSearchQuery } from '../../http/page.ts'
import { Uuid } from '../../http/shapes.ts'

export const UpdateStatus = Type.Enum(['Ready', 'Running', 'Succeeded', 'Failed', 'Rejected', 'Cancelled'])
export const UpdateKind = Type.Enum(['update', 'rollback'])

export const UpdateQuery = Type.Object({
  ...PlatformSearchQuery.properties,
  status: Type.Optional(UpdateStatus),
  failing: Type.Optional(Type.Boolean({ description: 'Only failed and rejected updates, or all others' })),
  kind: Type.Optional(UpdateKind),
  wave: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
  updateId: Type.Optional({ ...Uuid, description: 'Only the update with this id' }),
})
export type UpdateQuery = Static<typeof UpdateQuery>
