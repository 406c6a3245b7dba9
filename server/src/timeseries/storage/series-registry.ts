/**
 * Caches series numbers for ingest, which needs one look-up per sample and builds no string for it. When there are too
 * many series, those that were not used recently are evicted.
 */
import type { OwnerType, SeriesKey, SeriesType } from './series-key.ts'

type BySignal = Map<string, number>
/** Component → signal → number, for each type. */
type OfOwner = Record<SeriesType, Map<string, BySignal>>
/** Tenant number → owner id, for each type of owner. */
type Owners = Map<number, Record<OwnerType, Map<string, OfOwner>>>

/**
 * The cache has two generations: a series that is looked up moves to the younger one, and when that is full the older
 * one is dropped. So a hit costs no bookkeeping.
 */
export interface SeriesRegistry {
  maxSeries: number
  young: Owners
  old: Owners
  /** The number of series in `young`. */
  count: number
}

export const createSeriesRegistry = (maxSeries = 500_000): SeriesRegistry => ({
  maxSeries,
  young: new Map(),
  old: new Map(),
  count: 0,
})

/** @returns undefined if the series is not cached; then call `ensureSeries` */
export function seriesNumber(registry: SeriesRegistry, key: SeriesKey): number | undefined {
  const owner = ownerIn(registry.young, key) ?? rejuvenate(registry, key)
  return owner?.[key.type].get(key.componentId)?.get(key.name)
}

export function rememberSeries(registry: SeriesRegistry, key: SeriesKey, number: number): void {
  let tenant = registry.young.get(key.tenantNumber)
  if (!tenant) registry.young.set(key.tenantNumber, (tenant = { client: new Map(), asset: new Map() }))
  let owner = tenant[key.ownerType].get(key.ownerId)
  if (!owner)
    tenant[key.ownerType].set(key.ownerId, (owner = { telemetry: new Map(), propertyReported: new Map() }))
  let signals = owner[key.type].get(key.componentId)
  if (!signals) owner[key.type].set(key.componentId, (signals = new Map()))
  if (!signals.has(key.name)) addToCount(registry, 1)
  signals.set(key.name, number)
}

/** Removes an owner whose series were deleted. */
export function forgetOwner(
  registry: SeriesRegistry,
  owner: Pick<SeriesKey, 'tenantNumber' | 'ownerType' | 'ownerId'>,
): void {
  for (const owners of [registry.young, registry.old])
    owners.get(owner.tenantNumber)?.[owner.ownerType].delete(owner.ownerId)
}

/**
 * Removes assets whose series may have been deleted; existing series are looked up again.
 * @param ids null for every asset
 */
export function forgetAssets(registry: SeriesRegistry, ids: string[] | null): void {
  for (const owners of [registry.young, registry.old])
    for (const { asset } of owners.values())
      if (ids === null) asset.clear()
      else for (const id of ids) asset.delete(id)
}

const ownerIn = (owners: Owners, key: SeriesKey) =>
  owners.get(key.tenantNumber)?.[key.ownerType].get(key.ownerId)

function rejuvenate(registry: SeriesRegistry, key: SeriesKey): OfOwner | undefined {
  const owner = ownerIn(registry.old, key)
  if (!owner) return undefined
  let tenant = registry.young.get(key.tenantNumber)
  if (!tenant) registry.young.set(key.tenantNumber, (tenant = { client: new Map(), asset: new Map() }))
  tenant[key.ownerType].set(key.ownerId, owner)
  addToCount(registry, countSeries(owner))
  return owner
}

function addToCount(registry: SeriesRegistry, added: number) {
  registry.count += added
  if (registry.count <= registry.maxSeries / 2) return
  registry.old = registry.young
  registry.young = new Map()
  registry.count = 0
}

const countSeries = (owner: OfOwner) =>
  [...owner.telemetry.values(), ...owner.propertyReported.values()].reduce(
    (sum, signals) => sum + signals.size,
    0,
  )
