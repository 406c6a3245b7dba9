import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'
import { ApiError } from '../http/errors.ts'
import { requireDashboardData } from './data/require-data.ts'
import { type ChangeDashboard, dashboardShape } from './schema.ts'
import { getDashboardForUpdate, updateDashboard } from './store.ts'
import { recordVersion } from './versions/store.ts'

interface Change {
  id: string
  action: 'update' | 'restore'
  changes: ChangeDashboard
}

/**
 * Changes a dashboard, and records its new version. A change that changes nothing makes no version.
 * [docs/dashboards#versions]
 * @throws not_found; conflict if the change was made on another version; what `requireDashboardData` throws
 */
export async function changeDashboard(
  tx: Kysely<Tables>,
  caller: Caller,
  { id, action, changes: { version, ...changes } }: Change,
) {
  const row = await getDashboardForUpdate(tx, caller.tenantId, id)
  if (version !== undefined && version !== row.version) throw otherVersion(row.version, version)
  const before = dashboardShape(row)
  // A restored version was checked when it was saved.
  if (action === 'update' && changes.data) requireDashboardData(changes.data, before.data)
  const next = { ...before, ...changes }
  if (isDeepStrictEqual(next, before)) return { before, after: before }
  const changed = await updateDashboard(tx, caller.tenantId, next)
  await recordVersion(tx, caller, action, changed)
  return { before, after: dashboardShape(changed) }
}

const otherVersion = (version: number, given: number) =>
  new ApiError(
    'conflict',
    `The dashboard has version ${version}, and the change was made on version ${given}. Read it again and repeat the change.`,
    { version },
  )
