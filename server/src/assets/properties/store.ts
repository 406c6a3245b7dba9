import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Properties } from '../../providers/twin/merge-patch.ts'

/** Returns one side of an asset's twin with `$version`, which is 0 before the first change. */
export async function getAssetProperties(
  db: Kysely<Tables>,
  assetNumber: number,
  side: 'desired' | 'reported',
): Promise<Properties> {
  const row = await db
    .selectFrom('asset_twins')
    .select([`${side} as properties`, `${side}_version as version`])
    .where('asset_number', '=', assetNumber)
    .executeTakeFirst()
  return { ...row?.properties, $version: Number(row?.version ?? 0) }
}

/** An asset's twin is created by its first change. */
export async function updateAssetDesired(
  tx: Kysely<Tables>,
  assetNumber: number,
  properties: Properties,
  version: number,
): Promise<void> {
  const changes = {
    desired: JSON.stringify(properties),
    desired_version: version,
    desired_at: sql<Date>`now()`,
  }
  await tx
    .insertInto('asset_twins')
    .values({ asset_number: assetNumber, ...changes })
    .onConflict((oc) => oc.column('asset_number').doUpdateSet(changes))
    .execute()
}

/**
 * Locks the asset and all assets that its properties are bound to, directly or indirectly, in one order, to avoid a
 * deadlock.
 */
export const lockBoundAssets = (tx: Kysely<Tables>, tenantId: string, assetId: string) =>
  sql`
    with recursive bound as (
      select number from assets where tenant_id = ${tenantId} and id = ${assetId}
      union
      select other.number from bound
        join asset_binding_remotes r
          on r.asset_number = bound.number and r.kind = 'property' and r.instance_type = 'asset'
        join assets other on other.tenant_id = r.tenant_id and other.id = r.instance_id
    )
    select number from assets where number in (select number from bound) order by number for no key update
  `.execute(tx)
