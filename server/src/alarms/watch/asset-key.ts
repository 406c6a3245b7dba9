export interface AssetKey {
  tenantId: string
  assetId: string
}

export function groupByTenant(assets: Iterable<AssetKey>): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>()
  for (const { tenantId, assetId } of assets) ids.set(tenantId, (ids.get(tenantId) ?? new Set()).add(assetId))
  return ids
}
