import Type, { type Static } from 'typebox'
import { Description, DisplayName, Nullable, Uuid } from '../../http/shapes.ts'
import type { NodeRow } from './store.ts'

const ParentNodeId = { ...Nullable(Uuid), description: 'null at the top and in an asset' }

export const CreateNode = Type.Object({
  displayName: DisplayName,
  description: Type.Optional(Description),
  parentNodeId: Type.Optional(ParentNodeId),
  organizationId: Uuid,
})
export type CreateNode = Static<typeof CreateNode>

export const ChangeNode = Type.Object({
  displayName: Type.Optional(DisplayName),
  description: Type.Optional(Description),
  parentNodeId: Type.Optional(ParentNodeId),
})
export type ChangeNode = Static<typeof ChangeNode>

export const NodeRecord = Type.Object(
  {
    id: Uuid,
    displayName: Type.String(),
    description: Description,
    parentNodeId: ParentNodeId,
    organizationId: Uuid,
  },
  { title: 'TreeNode' },
)

export const nodeShape = (row: NodeRow) => ({
  id: row.id,
  displayName: row.display_name,
  description: row.description,
  parentNodeId: row.parent_node_id,
  organizationId: row.organization_id,
})
