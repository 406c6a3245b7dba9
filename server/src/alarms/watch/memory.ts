/** Cache of alarms and recently used assets, by tenant. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { loadAssets, loadTenantAlarms, type TenantAlarms } from './load.ts'
import type { AssetWatch } from './model-watch.ts'

interface TenantWatch extends TenantAlarms {
  version: number
  /** The current version. The tenant is loaded again where `version` differs. */
  wanted: number
  /** Two generations: when `assets` is full it becomes `older`, and the previous `older`, unused lately, is dropped. */
  assets: Map<string, AssetWatch>
  older: Map<string, AssetWatch>
}

export interface AlarmMemory {
  db: Kysely<Tables>
  tenants: Map<string, TenantWatch>
  maxAssets: number
  /** Unfinished loads, each with the assets that changed meanwhile and may be loaded with outdated state. */
  loads: Set<Set<string>>
}

export const createMemory = (db: Kysely<Tables>, maxAssets = 100_000): AlarmMemory => ({
  db,
  tenants: new Map(),
  maxAssets,
  loads: new Set(),
})

/** Returns the asset even where it is outdated: a batch that is not committed yet still uses it. */
export function findWatch(memory: AlarmMemory, tenantId: string, assetId: string): AssetWatch | undefined {
  const tenant = memory.tenants.get(tenantId)
  return tenant && (tenant.assets.get(assetId) ?? tenant.older.get(assetId))
}

/** Lists assets of all tenants that an alarm watches. */
export const listWatched = ({ tenants }: AlarmMemory): { tenantId: string; assetId: string }[] =>
  [...tenants].flatMap(([tenantId, { assets, older }]) =>
    [...new Map([...older, ...assets]).values()]
      .filter(({ model }) => model.rules.length > 0)
      .map(({ assetId }) => ({ tenantId, assetId })),
  )

const isLoaded = ({ version, wanted }: TenantWatch) => version === wanted

/** @returns whether memory holds everything that the next sample of the asset needs */
export function isReady({ tenants }: AlarmMemory, tenantId: string, assetId: string): boolean {
  const tenant = tenants.get(tenantId)
  if (!tenant || !isLoaded(tenant)) return false
  return tenant.models.size === 0 || tenant.assets.get(assetId)?.version === tenant.version
}

/** @returns false only if it is certain that no alarm watches the asset */
export function isWatched(memory: AlarmMemory, tenantId: string, assetId: string): boolean {
  if (!isReady(memory, tenantId, assetId)) return true
  const { models, assets } = memory.tenants.get(tenantId)!
  return models.size > 0 && assets.get(assetId)!.model.rules.length > 0
}

const TRIES = 5

export async function load(memory: AlarmMemory, tenantId: string, assetIds: string[]): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const missing = [...new Set(assetIds)].filter((id) => !isReady(memory, tenantId, id))
    if (missing.length === 0) return
    const tenant = await loadTenant(memory, tenantId)
    if (tenant.models.size > 0) await loadInto(memory, tenant, missing)
  }
}

async function loadTenant({ db, tenants }: AlarmMemory, tenantId: string): Promise<TenantWatch> {
  const before = tenants.get(tenantId)
  if (before && isLoaded(before)) return before
  const version = before?.wanted ?? 1
  const alarms = await loadTenantAlarms(db, tenantId)
  const tenant = tenants.get(tenantId) ?? { wanted: version, assets: new Map(), older: new Map() }
  const loaded = Object.assign(tenant, alarms, { version })
  tenants.set(tenantId, loaded)
  return loaded
}

async function loadInto(memory: AlarmMemory, tenant: TenantWatch, assetIds: string[]) {
  const { tenantId } = tenant
  const changed = new Set<string>()
  memory.loads.add(changed)
  try {
    for (const asset of await loadAssets(memory.db, tenant, { assetIds, version: tenant.version })) {
      if (changed.has(assetKey(tenantId, asset.assetId))) asset.version = -1
      remember(memory, tenant, asset)
    }
  } finally {
    memory.loads.delete(changed)
  }
}

function remember({ maxAssets }: AlarmMemory, tenant: TenantWatch, asset: AssetWatch): void {
  if (tenant.assets.size >= maxAssets) {
    tenant.older = tenant.assets
    tenant.assets = new Map()
  }
  // The previous entry may record a change that a pending batch still has to notice.
  asset.changedAt = Math.max(asset.changedAt, tenant.assets.get(asset.assetId)?.changedAt ?? 0)
  tenant.assets.set(asset.assetId, asset)
}

const assetKey = (tenantId: string, assetId: string) => `${tenantId} ${assetId}`

/** Records a change of the asset that an unfinished load may not have read. */
export function markChangedInLoads({ loads }: AlarmMemory, tenantId: string, assetId: string): void {
  for (const changed of loads) changed.add(assetKey(tenantId, assetId))
}

/** Marks assets to be loaded again before their next sample. */
export function markOutdated(memory: AlarmMemory, tenantId: string, assetIds: string[]): void {
  for (const assetId of assetIds) {
    markChangedInLoads(memory, tenantId, assetId)
    const asset = findWatch(memory, tenantId, assetId)
    if (asset) asset.version = -1
  }
}

/** Marks everything of the tenant to be loaded again: its alarms changed, or notices were lost. */
export function forgetTenant({ tenants }: AlarmMemory, tenantId: string): void {
  const tenant = tenants.get(tenantId)
  if (tenant) tenant.wanted++
}
