/** Subscriptions by tenant and owner, so that a sample costs only one look-up. */
import type { ByOwner, Subscription, TenantWatchers, WatchedOwner, Watchers } from '../state.ts'

export function addWatcher(watchers: Watchers, subscription: Subscription): void {
  const { tenantId, owners } = subscription
  let ofTenant = watchers.get(tenantId)
  if (!ofTenant)
    watchers.set(
      tenantId,
      (ofTenant = { telemetry: { client: new Map(), asset: new Map() }, alarm: new Map() }),
    )
  for (const owner of owners) {
    const byOwner = getByOwner(ofTenant, subscription, owner)
    const watching = byOwner.get(owner.ownerId)
    if (watching) watching.add(subscription)
    else byOwner.set(owner.ownerId, new Set([subscription]))
  }
}

export function deleteWatcher(watchers: Watchers, subscription: Subscription): void {
  const { tenantId, owners } = subscription
  const ofTenant = watchers.get(tenantId)
  if (!ofTenant) return
  for (const owner of owners) {
    const byOwner = getByOwner(ofTenant, subscription, owner)
    const watching = byOwner.get(owner.ownerId)
    watching?.delete(subscription)
    if (watching?.size === 0) byOwner.delete(owner.ownerId)
  }
  const { telemetry, alarm } = ofTenant
  if (telemetry.client.size + telemetry.asset.size + alarm.size === 0) watchers.delete(tenantId)
}

const getByOwner = (
  ofTenant: TenantWatchers,
  { topic }: Subscription,
  { ownerType }: WatchedOwner,
): ByOwner => (topic === 'alarm' ? ofTenant.alarm : ofTenant.telemetry[ownerType])
