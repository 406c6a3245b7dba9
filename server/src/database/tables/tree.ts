import type { Generated, Selectable } from 'kysely'
import type { CreatedAt } from './columns.ts'

export interface TreeTables {
  tree_nodes: {
    id: string
    tenant_id: string
    organization_id: string
    display_name: string
    description: string | null
    created_at: CreatedAt
  }
  tree_edges: {
    id: string
    tenant_id: string
    from_type: 'node' | 'asset' | 'dashboard'
    from_id: string
    to_type: 'node' | 'asset' | 'dashboard'
    to_id: string
    relation: Generated<'CONTAINS'>
    created_at: CreatedAt
  }
}

export type EdgeRow = Selectable<TreeTables['tree_edges']>
