/**
 * The rate of a device: a token bucket for all its sessions on this node, which holds what it may send in one second. A
 * device over its rate loses nothing: on MQTT 5 messages with QoS 1 and 2 are refused with the time after which to send
 * them again, and everything else waits, because the connection is not read meanwhile. [docs/mqtt#rate]
 */
import type { PacketRate } from '../../lib/setting-values.ts'
import type { Account } from '../authentication/accounts.ts'
import type { ReceivedPublish } from '../connection/read-publish.ts'
import { ReasonCode } from '../connection/reason-codes.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import type { Publication } from '../sessions/publication.ts'
import type { Connection, Session } from '../state.ts'
import type { LimitName } from './limit-advice.ts'
import { type RateBucket, findExceeded, isEmpty, takeTokens, waitMs } from './rate-bucket.ts'

/** A connection waits at least for so long, so that a flood does not cost a timer for each packet. */
const MIN_DELAY_MS = 20

/** @returns undefined if there is no limit */
export function findBucket(parts: GatewayParts, { id, number }: Account): RateBucket | undefined {
  const rate = parts.ctx.config.mqttRate
  if (!rate) return undefined
  const [other] = parts.sessions.byDevice.get(id)?.connected ?? []
  return other?.rateBucket ?? parts.leftBuckets.get(number) ?? createBucket(rate)
}

const createBucket = (rate: PacketRate): RateBucket => ({
  rate,
  packets: rate.packets,
  bytes: rate.bytes,
  refusals: rate.packets,
  filledMs: performance.now(),
  isRefusing: false,
})

/** A device that connects again has the same bucket. */
export function keepBucket({ leftBuckets }: GatewayParts, { account, rateBucket }: Session): void {
  if (rateBucket) leftBuckets.set(account.number, rateBucket)
}

/**
 * Counts a packet before it is handled. Where the device is over its rate, the packet is refused or the next one waits.
 * @param isRefusable see `mayRefuse`
 */
export function countPacket({ rateBucket, connection }: Session, bytes: number, isRefusable = false): void {
  if (rateBucket && !takeTokens(rateBucket, bytes, isRefusable)) delay(connection, rateBucket)
}

/** A device that is over its rate gains nothing by another connection. */
export function delayInDebt(connection: Connection, rateBucket: RateBucket | undefined): void {
  if (rateBucket && isEmpty(rateBucket)) delay(connection, rateBucket)
}

function delay(connection: Connection, rateBucket: RateBucket): void {
  const delayMs = Math.max(MIN_DELAY_MS, waitMs(rateBucket))
  connection.rateLimitedUntilMs = performance.now() + delayMs
  const timer = setTimeout(() => {
    connection.rateLimitedUntilMs = 0
    connection.resume()
  }, delayMs)
  timer.unref()
}

/** Before MQTT 5 no acknowledgement can refuse. A repeated message may be stored already, and a refusal would deny it. */
export const mayRefuse = ({ version }: Connection, { qos, dup }: ReceivedPublish): boolean =>
  version === 5 && qos > 0 && !dup

/** @returns undefined if the message that is being handled is within the rate; a refusal is recorded */
export function refuseOverRate(
  { ledger }: GatewayParts,
  { rateBucket, account }: Session,
  { topic, payload }: Publication,
): { code: ReasonCode; message: string } | undefined {
  if (!rateBucket?.isRefusing) return undefined
  const limit = findExceeded(rateBucket) ?? 'packets_per_second'
  ledger.record(account.number, { limit, outcome: 'refused', topic, bytes: payload.length })
  const { packets, bytes } = rateBucket.rate
  const most = limit === 'packets_per_second' ? `${packets} packets` : `${bytes} bytes`
  return {
    code: ReasonCode.quotaExceeded,
    message: `${limit}: The device may send ${most} in a second. The message was not stored; send it again in ${Math.ceil(waitMs(rateBucket))} ms.`,
  }
}

/** The limit for which the connection waits. */
export const findRateLimit = ({ session }: Connection): LimitName =>
  (session?.rateBucket && findExceeded(session.rateBucket)) ?? 'packets_per_second'
