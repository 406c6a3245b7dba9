import Type, { type Static } from 'typebox'
import { SuppliedId, Uuid } from '../../http/shapes.ts'
import type { EdgeRow } from '../../database/tables/tree.ts'

const Id = { ...SuppliedId, description: 'Id of a node, asset or dashboard' }

export const CreateEdge = Type.Object({
  fromType: Type.Enum(['node', 'asset']),
  fromId: Id,
  toType: Type.Enum(['node', 'asset', 'dashboard']),
  toId: Id,
  relation: Type.Literal('CONTAINS'),
})
export type CreateEdge = Static<typeof CreateEdge>

export const DeleteEdges = Type.Object({ fromType: Type.Enum(['node', 'asset', 'dashboard']), fromId: Id })

export const EdgeRecord = Type.Object(
  {
    id: Uuid,
    fromType: Type.String(),
    fromId: Type.String(),
    toType: Type.String(),
    toId: Type.String(),
    relation: Type.Literal('CONTAINS'),
  },
  { title: 'TreeEdge' },
)

export const edgeShape = (row: EdgeRow) => ({
  id: row.id,
  fromType: row.from_type,
  fromId: row.from_id,
  toType: row.to_type,
  toId: row.to_id,
  relation: row.relation,
})
