import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { LocalEndpoint } from '../endpoints.ts'
import { ApiError } from '../../http/errors.ts'

export interface MigratingAsset {
  number: number
  id: string
  model_id: string
  ignored_endpoints: string[]
  bindings: LocalEndpoint[]
  /** Null if the asset never had properties. */
  reported: Record<string, unknown> | null
  desired: Record<string, unknown> | null
}

/**
 * Locks the assets in the order of their ids, to avoid a deadlock between two migrations.
 * @throws not_found; its details list all missing assets
 */
export async function listMigrating(
  tx: Kysely<Tables>,
  tenantId: string,
  ids: string[],
): Promise<MigratingAsset[]> {
  const { rows: locked } = await sql<{ number: number; id: string }>`
    select number, id from assets where tenant_id = ${tenantId} and id = any(${ids}::text[])
    order by id for no key update`.execute(tx)
  refuseMissing(
    ids,
    locked.map(({ id }) => id),
  )
  const { rows } = await sql<MigratingAsset>`
    select a.number, a.id, a.model_id, a.ignored_endpoints, t.reported, t.desired, (
      select coalesce(json_agg(json_build_object('componentId', b.component_id, 'kind', b.kind, 'name', b.name)
        order by b.component_id, b.kind, b.name), '[]')
      from asset_bindings b where b.asset_number = a.number
    ) as bindings
    from assets a left join asset_twins t on t.asset_number = a.number
    where a.number = any(${locked.map(({ number }) => number)}::int[])`.execute(tx)
  return rows
}

export function refuseMissing(ids: string[], found: string[]): void {
  const known = new Set(found)
  const missing = ids.filter((id) => !known.has(id))
  if (missing.length > 0)
    throw new ApiError('not_found', `There is no asset ${missing[0]}.`, { assetIds: missing })
}

export async function updateModels(tx: Kysely<Tables>, numbers: number[], modelId: string): Promise<void> {
  await sql`update assets set model_id = ${modelId} where number = any(${numbers}::int[])`.execute(tx)
}

export async function updateIgnoredEndpoints(
  tx: Kysely<Tables>,
  number: number,
  ignored: string[],
): Promise<void> {
  await sql`update assets set ignored_endpoints = ${ignored}::text[] where number = ${number}`.execute(tx)
}
