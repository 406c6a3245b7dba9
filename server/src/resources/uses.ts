/** Lists the objects that refer to a resource by its id and may break without it. [docs/files#references] */
import type { Kysely } from 'kysely'
import { listDashboardsShowing } from '../dashboards/store.ts'
import type { Tables } from '../database/tables.ts'
import { listReleasesUsing } from '../firmware/releases/store.ts'
import { listSimulationsReading } from '../simulations/store.ts'
import { listThemesUsing } from './themes/store.ts'

export interface ResourceUse {
  type: 'theme' | 'dashboard' | 'firmware_release' | 'simulation'
  id: string
}

type IdsOfUsers = (db: Kysely<Tables>, tenantId: string, resourceId: string) => Promise<string[]>

/** Rooms that refer to resources, each with its query. */
const users: [ResourceUse['type'], IdsOfUsers][] = [
  ['theme', listThemesUsing],
  ['dashboard', listDashboardsShowing],
  ['firmware_release', listReleasesUsing],
  ['simulation', listSimulationsReading],
]

export async function listUses(
  db: Kysely<Tables>,
  tenantId: string,
  resourceId: string,
): Promise<ResourceUse[]> {
  const uses: ResourceUse[] = []
  for (const [type, listIds] of users)
    for (const id of await listIds(db, tenantId, resourceId)) uses.push({ type, id })
  return uses
}
