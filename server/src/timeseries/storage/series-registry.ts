/**
 * Caches streams with the slots of their series for ingest, which needs one look-up per value. When there are too many
 * series, the streams that were not used recently are evicted.
 */
import type { Owner, OwnerType, SeriesType, StreamKey } from './series-key.ts'

export interface Stream {
  number: number
  /** Slots of all its series, by `slotKey`. */
  slots: Map<string, number>
  /** For each slot, from 1 on, an hour after which it has no rows; see `raiseLastHours`. */
  lastHours: number[]
  /** Its device has as many series as it may have. */
  isFull: boolean
}

type OfOwner = Partial<Record<SeriesType, Stream>>
/** Tenant number → owner id, for each type of owner. */
type Owners = Map<number, Record<OwnerType, Map<string, OfOwner>>>

/**
 * The cache has two generations: an owner that is looked up moves to the younger one, and when that is full the older
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

/** Names hold no NUL, so that a signal of the root component needs no other key than its name. */
export const slotKey = (componentId: string, name: string): string =>
  componentId === '' ? name : `${componentId}\0${name}`

/** @returns undefined if the stream is not cached; then call `ensureSeries` */
export function findStream(registry: SeriesRegistry, owner: Owner, type: SeriesType): Stream | undefined {
  const known = ownerIn(registry.young, owner) ?? rejuvenate(registry, owner)
  return known?.[type]
}

/** Keeps what is known already if it is newer: two batches may read a stream at the same time. */
export function rememberStream(registry: SeriesRegistry, key: StreamKey, stream: Stream): void {
  const known = findStream(registry, key, key.type)
  if (known && isNewer(known, stream)) return
  ownerToFill(registry.young, key)[key.type] = stream
  addToCount(registry, sizeOf(stream) - (known ? sizeOf(known) : 0))
}

/** A stream that was deleted and made again has a higher number. */
const isNewer = (known: Stream, read: Stream): boolean =>
  known.number > read.number || (known.number === read.number && known.slots.size > read.slots.size)

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

const ownerIn = (owners: Owners, { tenantNumber, ownerType, ownerId }: Owner) =>
  owners.get(tenantNumber)?.[ownerType].get(ownerId)

function ownerToFill(owners: Owners, { tenantNumber, ownerType, ownerId }: Owner): OfOwner {
  let tenant = owners.get(tenantNumber)
  if (!tenant) owners.set(tenantNumber, (tenant = { client: new Map(), asset: new Map() }))
  let owner = tenant[ownerType].get(ownerId)
  if (!owner) tenant[ownerType].set(ownerId, (owner = {}))
  return owner
}

function rejuvenate(registry: SeriesRegistry, key: Owner): OfOwner | undefined {
  const owner = ownerIn(registry.old, key)
  if (!owner) return undefined
  Object.assign(ownerToFill(registry.young, key), owner)
  addToCount(
    registry,
    Object.values(owner).reduce((sum, stream) => sum + sizeOf(stream), 0),
  )
  return owner
}

/** A stream without series takes memory, too. */
const sizeOf = ({ slots }: Stream) => slots.size + 1

function addToCount(registry: SeriesRegistry, added: number) {
  registry.count += added
  if (registry.count <= registry.maxSeries / 2) return
  registry.old = registry.young
  registry.young = new Map()
  registry.count = 0
}
