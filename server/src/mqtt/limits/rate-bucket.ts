import type { PacketRate } from '../../lib/setting-values.ts'
import type { LimitName } from './limit-advice.ts'

/** A token bucket that holds what may be sent in one second. The last packet may leave a debt. */
export interface RateBucket {
  rate: PacketRate
  packets: number
  bytes: number
  /** How many packets may be refused. They cost less than those that are handled, but not nothing. */
  refusals: number
  /** When the bucket was last filled, of `performance.now()`. */
  filledMs: number
  /** Whether the packet that is being handled has to be refused. */
  isRefusing: boolean
}

/**
 * The clock is read only when the bucket seems empty. So a device that was quiet before may send twice its rate once.
 * @returns whether the next packet may be read at once
 */
export function takeTokens(bucket: RateBucket, bytes: number, isRefusable: boolean): boolean {
  bucket.isRefusing = isRefusable && isEmpty(bucket)
  if (bucket.isRefusing) return --bucket.refusals > 0
  bucket.packets--
  bucket.bytes -= bytes
  return isRefusable || !isEmpty(bucket)
}

export function isEmpty(bucket: RateBucket): boolean {
  if (bucket.packets > 0 && bucket.bytes > 0) return false
  fill(bucket, performance.now())
  return findExceeded(bucket) !== undefined
}

function fill(bucket: RateBucket, nowMs: number): void {
  const { rate, filledMs } = bucket
  const seconds = (nowMs - filledMs) / 1000
  bucket.filledMs = nowMs
  bucket.packets = Math.min(rate.packets, bucket.packets + seconds * rate.packets)
  bucket.bytes = Math.min(rate.bytes, bucket.bytes + seconds * rate.bytes)
  bucket.refusals = Math.min(rate.packets, bucket.refusals + seconds * rate.packets)
}

export function findExceeded({ packets, bytes }: RateBucket): LimitName | undefined {
  if (packets <= 0) return 'packets_per_second'
  return bytes <= 0 ? 'bytes_per_second' : undefined
}

/** The time until the bucket has room again; at least that for one packet. */
export const waitMs = ({ rate, packets, bytes, refusals }: RateBucket): number =>
  Math.max((1 - packets) / rate.packets, (1 - refusals) / rate.packets, -bytes / rate.bytes, 0) * 1000
