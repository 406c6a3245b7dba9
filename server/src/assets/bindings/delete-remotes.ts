import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { InstanceType } from './store.ts'

export interface Instances {
  instanceType: InstanceType
  instanceIds: string[]
}

/**
 * Locks the assets that read from the instances before these are deleted, and the instances themselves if they are
 * assets. The locks are taken in the order of ids, so that two assets that read from each other can be deleted at the
 * same time.
 */
export async function lockReaders(
  tx: Kysely<Tables>,
  tenantId: string,
  { instanceType, instanceIds }: Instances,
): Promise<void> {
  await sql`
    select from assets where number in (
      select asset_number from asset_binding_remotes
      where tenant_id = ${tenantId} and instance_type = ${instanceType} and instance_id = any(${instanceIds}::text[])
      union
      select number from assets where ${instanceType} = 'asset' and tenant_id = ${tenantId}
        and id = any(${instanceIds}::text[])
    ) order by id for no key update`.execute(tx)
}

/**
 * Removes the instances from all bindings, and deletes the bindings that read from nothing else.
 * @returns the ids to announce: assets whose bindings changed and all instances that they read from; empty if no asset
 * read from the instances
 */
export async function deleteRemotesTo(
  tx: Kysely<Tables>,
  tenantId: string,
  { instanceType, instanceIds }: Instances,
): Promise<string[]> {
  const { rows } = await sql<{ asset_number: number }>`
    delete from asset_binding_remotes
    where tenant_id = ${tenantId} and instance_type = ${instanceType} and instance_id = any(${instanceIds}::text[])
    returning asset_number`.execute(tx)
  const numbers = [...new Set(rows.map((row) => row.asset_number))]
  if (numbers.length === 0) return []
  await sql`
    delete from asset_bindings b
    where b.asset_number = any(${numbers}::int[]) and not exists (
      select from asset_binding_remotes r
      where (r.asset_number, r.component_id, r.kind, r.name) = (b.asset_number, b.component_id, b.kind, b.name)
    )`.execute(tx)
  return [...instanceIds, ...(await listBound(tx, numbers))]
}

/** Lists the ids of these assets and of all instances that they read from. */
export async function listBound(db: Kysely<Tables>, assetNumbers: number[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from assets where number = any(${assetNumbers}::int[])
    union
    select instance_id from asset_binding_remotes where asset_number = any(${assetNumbers}::int[])`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}
