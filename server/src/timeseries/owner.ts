/** Whom an `assetId` of a request names: so far, a provider client of the caller's tenant. */
import { requirePermission } from '../access/require.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../http/access.ts'
import type { Owner } from './series.ts'

/** What the room's requests need. */
export type TimeseriesContext = Pick<Context, 'db' | 'pool' | 'decisions'>

/** @throws not_found, also for one of another tenant; forbidden for one that the caller may not view */
export async function getOwner(ctx: TimeseriesContext, caller: Caller, assetId: string): Promise<Owner> {
  await requireView(ctx, caller, [assetId])
  return { tenantNumber: await tenantNumberOf(ctx, caller), ownerType: 'client', ownerId: assetId }
}

/**
 * "The caller needs the view permission on the assets queried." [interface, Platform: timeseries and assets]
 * @throws not_found, forbidden
 */
export async function requireView(ctx: TimeseriesContext, caller: Caller, assetIds: string[]): Promise<void> {
  const checks = [...new Set(assetIds)].map((id) =>
    requirePermission(ctx, caller, 'view', { type: 'provider_client', id }),
  )
  await Promise.all(checks)
}

export async function tenantNumberOf({ db }: TimeseriesContext, { tenantId }: Caller): Promise<number> {
  const { number } = await db
    .selectFrom('tenants')
    .select('number')
    .where('id', '=', tenantId)
    .executeTakeFirstOrThrow()
  return number
}
