import type { Selectable } from 'kysely'
import Type from 'typebox'
import type { DashboardTables } from '../../database/tables/dashboards.ts'
import { Description, formatTimestamp, FreeObject, Nullable, Timestamp, Uuid } from '../../http/shapes.ts'

const ChangedBy = Nullable(
  Type.Object(
    {
      userId: Uuid,
      tokenId: Nullable(Type.String({ description: 'The API token of the user; null for a sign-in' })),
      displayName: Nullable(Type.String({ description: 'The name of the user; null once it is deleted' })),
    },
    { description: 'Null for versions that are older than the history' },
  ),
)

export const DashboardVersion = Type.Object(
  {
    version: Type.Integer({ description: 'The version of the dashboard' }),
    action: Type.Enum(['create', 'update', 'restore', 'delete'], { description: 'What made the version' }),
    at: Timestamp,
    changedBy: ChangedBy,
    displayName: Type.String(),
    description: Description,
    dataBytes: Type.Integer({ description: 'Size of the data; 0 for a deletion' }),
  },
  { title: 'DashboardVersion' },
)

export const DashboardVersionData = Type.Object(
  {
    ...DashboardVersion.properties,
    data: Nullable(FreeObject),
  },
  { title: 'DashboardVersionData' },
)

export const DeletedDashboard = Type.Object(
  {
    id: Uuid,
    displayName: Type.String(),
    description: Description,
    organizationId: Uuid,
    version: Type.Integer({ description: 'The version that the deletion made' }),
    deletedAt: Type.String({ format: 'date-time', description: 'When it was deleted' }),
    deletedBy: ChangedBy,
  },
  { title: 'DeletedDashboard' },
)

export type VersionRow = Omit<Selectable<DashboardTables['dashboard_versions']>, 'data'> & {
  user_name: string | null
}

const changedByShape = ({ user_id, token_id, user_name }: VersionRow) =>
  user_id === null ? null : { userId: user_id, tokenId: token_id, displayName: user_name }

export const versionShape = (row: VersionRow) => ({
  version: row.version,
  action: row.action,
  at: formatTimestamp(row.created_at),
  changedBy: changedByShape(row),
  displayName: row.display_name,
  description: row.description,
  dataBytes: row.data_bytes,
})

export const deletedShape = (row: VersionRow) => ({
  id: row.dashboard_id,
  displayName: row.display_name,
  description: row.description,
  organizationId: row.organization_id,
  version: row.version,
  deletedAt: formatTimestamp(row.created_at),
  deletedBy: changedByShape(row),
})
