/**
 * Earlier plans of clients, kept for as long as a message from that time may be repeated: the original of a repeat is
 * looked up where it was stored.
 */
import { createBoundedCache, type BoundedCache } from '../../lib/bounded-cache.ts'
import { REPEAT_WINDOW_MS } from '../dead-letters/store.ts'
import type { Plan } from './step.ts'

interface PreviousPlan {
  /** Undefined where no asset read the client. */
  plan: Plan | undefined
  untilMs: number
}

/** Earlier plans by tenant and client. */
export type PreviousPlans = BoundedCache<string, PreviousPlan[]>

const MAX_CLIENTS = 50_000
/** Where bindings change more often within minutes, the oldest plans are dropped. */
const MAX_PLANS_OF_A_CLIENT = 8

export const createPreviousPlans = (): PreviousPlans => createBoundedCache(MAX_CLIENTS)

const clientKey = (tenantId: string, clientId: string) => `${tenantId} ${clientId}`

export function keepPreviousPlan(
  former: PreviousPlans,
  tenantId: string,
  clientId: string,
  plan: Plan | undefined,
): void {
  const key = clientKey(tenantId, clientId)
  const others = former.get(key) ?? []
  former.set(key, [...others, { plan, untilMs: Date.now() + REPEAT_WINDOW_MS }].slice(-MAX_PLANS_OF_A_CLIENT))
}

/** @returns none if the bindings did not change recently */
export function listPreviousPlans(
  former: PreviousPlans,
  tenantId: string,
  clientId: string,
): (Plan | undefined)[] {
  const nowMs = Date.now()
  const all = former.get(clientKey(tenantId, clientId)) ?? []
  return all.filter(({ untilMs }) => untilMs > nowMs).map(({ plan }) => plan)
}
