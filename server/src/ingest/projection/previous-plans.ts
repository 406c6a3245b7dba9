/**
 * How the messages of a client were kept until its bindings changed, for as long as one of them may come again: a repeat
 * is looked for where it was put the first time.
 */
import { createBoundedCache, type BoundedCache } from '../../lib/bounded-cache.ts'
import { REPEAT_WINDOW_MS } from '../dead-letters/store.ts'
import type { Plan } from './step.ts'

interface PreviousPlan {
  /** Nothing: no asset read the client. */
  plan: Plan | undefined
  untilMs: number
}

/** By tenant and client. */
export type PreviousPlans = BoundedCache<string, PreviousPlan[]>

const MAX_CLIENTS = 50_000
/** Who binds more often within minutes finds the oldest forgotten. */
const MAX_PLANS_OF_A_CLIENT = 8

export const createPreviousPlans = (): PreviousPlans => createBoundedCache(MAX_CLIENTS)

const keyOf = (tenantId: string, clientId: string) => `${tenantId} ${clientId}`

export function keepPreviousPlan(
  former: PreviousPlans,
  tenantId: string,
  clientId: string,
  plan: Plan | undefined,
): void {
  const key = keyOf(tenantId, clientId)
  const others = former.get(key) ?? []
  former.set(key, [...others, { plan, untilMs: Date.now() + REPEAT_WINDOW_MS }].slice(-MAX_PLANS_OF_A_CLIENT))
}

/** @returns none where the bindings did not change lately */
export function listPreviousPlans(
  former: PreviousPlans,
  tenantId: string,
  clientId: string,
): (Plan | undefined)[] {
  const nowMs = Date.now()
  const all = former.get(keyOf(tenantId, clientId)) ?? []
  return all.filter(({ untilMs }) => untilMs > nowMs).map(({ plan }) => plan)
}
