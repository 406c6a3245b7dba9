/** Lists the objects that refer to a resource by its id and may break without it. [docs/files#references] */
import type { Kysely } from 'kysely'
import { pickVisible } from '../access/pick-visible.ts'
import type { ResourceType } from '../access/schema.ts'
import { listDashboardsShowing } from '../dashboards/store.ts'
import type { Tables } from '../database/tables.ts'
import { listReleasesUsing } from '../firmware/releases/store.ts'
import type { Caller } from '../http/access.ts'
import { listOwnSimulations } from '../simulations/list-own.ts'
import { listSimulationsReading } from '../simulations/store.ts'
import { listThemesUsing } from './themes/store.ts'

export interface ResourceUse {
  type: 'theme' | 'dashboard' | 'firmware_release' | 'simulation'
  /** Null for an object that the caller may not view. */
  id: string | null
}

/** A kind of objects that refer to resources. */
interface User {
  type: ResourceUse['type']
  listIds: (db: Kysely<Tables>, tenantId: string, resourceId: string) => Promise<string[]>
  /** Lists those of the ids whose objects the caller may view. */
  listVisible: (db: Kysely<Tables>, caller: Caller, ids: string[]) => Promise<string[]>
}

const visibleOf =
  (type: ResourceType): User['listVisible'] =>
  (db, caller, ids) =>
    pickVisible(db, caller, type, ids)

const users: User[] = [
  { type: 'theme', listIds: listThemesUsing, listVisible: visibleOf('resource_item') },
  { type: 'dashboard', listIds: listDashboardsShowing, listVisible: visibleOf('dashboard') },
  { type: 'firmware_release', listIds: listReleasesUsing, listVisible: visibleOf('firmware') },
  { type: 'simulation', listIds: listSimulationsReading, listVisible: listOwnSimulations },
]

export async function listUses(
  db: Kysely<Tables>,
  caller: Caller,
  resourceId: string,
): Promise<ResourceUse[]> {
  const uses: ResourceUse[] = []
  for (const { type, listIds, listVisible } of users) {
    const ids = await listIds(db, caller.tenantId, resourceId)
    if (ids.length === 0) continue
    const visible = new Set(await listVisible(db, caller, ids))
    for (const id of ids) uses.push({ type, id: visible.has(id) ? id : null })
  }
  return uses
}
