import Type, { type Static } from 'typebox'
import { permissions } from '../../access/schema.ts'
import { Nullable, SuppliedId, Uuid } from '../../http/shapes.ts'
import { EdgeRecord } from '../edges/schema.ts'

const TypeName = Type.Enum(['node', 'asset'])
const PermissionNames = Type.Array(Type.Enum([...permissions]))

export const Move = Type.Object({
  type: TypeName,
  id: { ...SuppliedId, description: 'The node or asset that is moved, with all that it contains' },
  edgeId: Type.Optional({
    ...Nullable(Uuid),
    description: 'The edge that it leaves; without one it stays where it is and stands in `to` as well',
  }),
  to: Type.Optional({
    ...Nullable(Type.Object({ type: TypeName, id: SuppliedId })),
    description: 'What contains it then; null only takes it out',
  }),
  dryRun: Type.Optional(Type.Boolean()),
})
export type Move = Static<typeof Move>

export const Moved = Type.Object(
  {
    edge: { ...Nullable(EdgeRecord), description: 'The edge by which it stands there then; null for none' },
    accessChanges: Type.Optional(
      Type.Array(
        Type.Object({
          subjectType: Type.Enum(['user', 'group', 'organization']),
          subjectId: Type.String(),
          displayName: { ...Nullable(Type.String()), description: 'Null where the caller may not view it' },
          gained: { ...PermissionNames, description: 'Permissions on the thing that it would gain' },
          lost: { ...PermissionNames, description: 'Permissions on the thing that it would lose' },
        }),
        { description: 'Of a dry run: who would gain or lose a permission on the thing' },
      ),
    ),
  },
  { title: 'TreeMove' },
)
