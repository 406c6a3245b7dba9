/** Finds the owners that the `assets` of a subscription name: assets, or provider clients, which own unbound telemetry. */
import { type Kysely, sql } from 'kysely'
import { type Access, findCallerReach, requirePermission, requireShown } from '../../access/require.ts'
import { visibleTo } from '../../access/decisions/visible-to.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { orNotFound } from '../../http/errors.ts'
import type { Runtime } from '../../runtime.ts'
import type { OwnerType } from '../../timeseries/storage/series-key.ts'
import type { WatchedOwner } from '../state.ts'

const resourceTypes = { asset: 'asset', client: 'provider_client' } as const
const tables = { asset: 'assets', client: 'provider_clients' } as const

/** @throws not_found, forbidden; each names the owner */
export async function requireOwners(ctx: Access, caller: Caller, ids: string[]): Promise<WatchedOwner[]> {
  for (const id of ids) requireShown(caller, { type: 'asset', id })
  const types = await findTypes(ctx.db, caller.tenantId, ids)
  const owners = ids.map((ownerId): WatchedOwner => {
    const ownerType = orNotFound(types.get(ownerId), 'asset', ownerId)
    return { ownerType, ownerId }
  })
  await Promise.all(
    owners.map(({ ownerType, ownerId: id }) =>
      requirePermission(ctx, caller, 'view', { type: resourceTypes[ownerType], id }),
    ),
  )
  return owners
}

/** Finds the type of each owner; if an asset and a client have the same id, it is the asset. */
async function findTypes(
  db: Kysely<Tables>,
  tenantId: string,
  ids: string[],
): Promise<Map<string, OwnerType>> {
  const { rows } = await sql<{ id: string; type: OwnerType }>`
    select id, 'client' as type from provider_clients where tenant_id = ${tenantId} and id = any(${ids}::text[])
    union all
    select id, 'asset' from assets where tenant_id = ${tenantId} and id = any(${ids}::text[])
    order by type desc`.execute(db)
  return new Map(rows.map(({ id, type }) => [id, type]))
}

/** Finds the ids of the owners that the caller may view now. */
export async function visibleOwners(
  ctx: Pick<Runtime, 'db' | 'pool'>,
  caller: Caller,
  type: OwnerType,
  ids: string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const reach = await findCallerReach(ctx, caller, resourceTypes[type])
  const { rows } = await sql<{ id: string }>`
    select o.id from ${sql.table(tables[type])} o
    where o.tenant_id = ${caller.tenantId} and o.id = any(${ids}::text[])
      and ${visibleTo(reach, { id: 'o.id', organization: 'o.organization_id' })}`.execute(ctx.db)
  return new Set(rows.map(({ id }) => id))
}
