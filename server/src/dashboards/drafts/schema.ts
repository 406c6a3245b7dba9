import type { Selectable } from 'kysely'
import Type, { type Static } from 'typebox'
import type { DashboardTables } from '../../database/tables/dashboards.ts'
import { formatTimestamp, FreeObject, Timestamp } from '../../http/shapes.ts'

const version = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'The version of the dashboard that the draft changes',
})

export const WriteDraft = Type.Object({ version, data: FreeObject })
export type WriteDraft = Static<typeof WriteDraft>

export const DashboardDraft = Type.Object(
  { version, data: FreeObject, changedAt: Timestamp },
  { title: 'DashboardDraft' },
)

export const draftShape = (
  row: Pick<Selectable<DashboardTables['dashboard_drafts']>, 'version' | 'data' | 'changed_at'>,
) => ({ version: row.version, data: row.data, changedAt: formatTimestamp(row.changed_at) })
