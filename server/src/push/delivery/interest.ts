/**
 * The owners whose samples a node wants, as it announces them to the others. Owners fall into buckets, so that an
 * announcement stays small however many are watched. A node receives all samples of a bucket of which it watches an owner:
 * more than it needs, and never less.
 */
import type { WatchedOwner, Watchers } from '../state.ts'

/** A dashboard of 3 assets receives some thousandth of its tenant, one of 1,000 assets less than a quarter. */
const BUCKETS = 4096

/** One bit for each bucket. */
export type Buckets = Uint8Array
/** By tenant id; or all of all tenants. */
export type Interest = Map<string, Buckets> | 'all'

/** The numbers of the buckets, or their bits as base64, whichever is shorter. */
type EncodedBuckets = number[] | string
export type EncodedInterest = [tenantId: string, EncodedBuckets | 'all'][] | 'all'

const allBuckets: Buckets = new Uint8Array(BUCKETS / 8).fill(0xff)

export const findBuckets = (interest: Interest, tenantId: string): Buckets | undefined =>
  interest === 'all' ? allBuckets : interest.get(tenantId)

/** FNV-1a. */
export function findBucket(ownerId: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < ownerId.length; at++) hash = Math.imul(hash ^ ownerId.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 16)) & (BUCKETS - 1)
}

export const hasBucket = (buckets: Buckets, bucket: number): boolean =>
  (buckets[bucket >> 3]! & (1 << (bucket & 7))) !== 0

/** @returns the buckets that are new */
export function addOwners(
  interest: Map<string, Buckets>,
  tenantId: string,
  owners: WatchedOwner[],
): number[] {
  const buckets = interest.get(tenantId) ?? new Uint8Array(BUCKETS / 8)
  interest.set(tenantId, buckets)
  const added: number[] = []
  for (const { ownerId } of owners)
    if (setBucket(buckets, findBucket(ownerId))) added.push(findBucket(ownerId))
  return added
}

/** @returns whether it was not set */
function setBucket(buckets: Buckets, bucket: number): boolean {
  if (hasBucket(buckets, bucket)) return false
  buckets[bucket >> 3]! |= 1 << (bucket & 7)
  return true
}

/** @returns what is still watched of an interest; nothing is added to it */
export function narrowInterest(interest: Map<string, Buckets>, watchers: Watchers): Map<string, Buckets> {
  const narrowed = new Map<string, Buckets>()
  for (const [tenantId, before] of interest) {
    const telemetry = watchers.get(tenantId)?.telemetry
    if (!telemetry) continue
    const buckets = new Uint8Array(BUCKETS / 8)
    for (const byOwner of [telemetry.client, telemetry.asset])
      for (const ownerId of byOwner.keys()) {
        const bucket = findBucket(ownerId)
        if (hasBucket(before, bucket)) setBucket(buckets, bucket)
      }
    if (buckets.some((bits) => bits !== 0)) narrowed.set(tenantId, buckets)
  }
  return narrowed
}

export function mergeInterests(one: Interest, other: Interest): Interest {
  if (one === 'all' || other === 'all') return 'all'
  const merged = new Map(one)
  for (const [tenantId, buckets] of other) {
    const before = one.get(tenantId)
    merged.set(tenantId, before ? before.map((bits, index) => bits | buckets[index]!) : buckets)
  }
  return merged
}

/**
 * Where it would be larger than `maxBytes`, it covers all owners of some tenants, beginning with those of which most
 * is wanted and least saved; and where even that is too large, all tenants.
 */
export function encodeInterest(interest: Map<string, Buckets>, maxBytes: number): EncodedInterest {
  const tenants = [...interest].map(([tenantId, buckets]): [string, EncodedBuckets | 'all'] => [
    tenantId,
    encodeBuckets(buckets),
  ])
  let bytes = countBytes(tenants)
  if (bytes <= maxBytes) return tenants
  for (const tenant of tenants.toSorted(([, one], [, other]) => countBytes(other) - countBytes(one))) {
    bytes -= countBytes(tenant)
    tenant[1] = 'all'
    bytes += countBytes(tenant)
    if (bytes <= maxBytes) return tenants
  }
  return 'all'
}

const countBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

function encodeBuckets(buckets: Buckets): EncodedBuckets {
  const bits = Buffer.from(buckets).toString('base64')
  const numbers: number[] = []
  for (let bucket = 0; bucket < BUCKETS; bucket++) if (hasBucket(buckets, bucket)) numbers.push(bucket)
  return countBytes(numbers) < countBytes(bits) ? numbers : bits
}

export function decodeInterest(encoded: EncodedInterest): Interest {
  if (encoded === 'all') return 'all'
  return new Map(encoded.map(([tenantId, buckets]) => [tenantId, decodeBuckets(buckets)]))
}

function decodeBuckets(encoded: EncodedBuckets | 'all'): Buckets {
  if (encoded === 'all') return allBuckets
  if (typeof encoded === 'string') return new Uint8Array(Buffer.from(encoded, 'base64'))
  const buckets = new Uint8Array(BUCKETS / 8)
  for (const bucket of encoded) setBucket(buckets, bucket)
  return buckets
}
