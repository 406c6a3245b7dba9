/**
 * Who keeps bindings in memory (the way in does) hears of each change: in this process before the change is answered,
 * so that the next message sees the new bindings; in others a moment later.
 */
import { type Kysely, sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'

export interface BindingChange {
  /** Null: any tenant's. What was said while nobody listened is not said again. */
  tenantId: string | null
  /** The assets whose bindings changed, and what those read before and read now; null: any of the tenant's. */
  instanceIds: string[] | null
}

/** Its payload is a `BindingChange`. */
export const BINDINGS_CHANGED_CHANNEL = 'gangway_bindings_changed'
/** PostgreSQL takes 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7000

export type AnnounceBindings = (instanceIds: string[]) => void

/** Runs a transaction that changes bindings; it says whose. */
export async function changingBindings<T>(
  ctx: Pick<Context, 'db' | 'bindingListeners'>,
  tenantId: string,
  run: (tx: Kysely<Tables>, announce: AnnounceBindings) => Promise<T>,
): Promise<T> {
  const instanceIds = new Set<string>()
  const result = await ctx.db.transaction().execute(async (tx) => {
    const answer = await run(tx, (ids) => ids.forEach((id) => instanceIds.add(id)))
    if (instanceIds.size > 0) await notifyOfBindings(tx, { tenantId, instanceIds: [...instanceIds] })
    return answer
  })
  if (instanceIds.size > 0) tellOfBindings(ctx, { tenantId, instanceIds: [...instanceIds] })
  return result
}

/** Once the transaction has committed, other processes hear of it. `tellOfBindings` is for this one. */
export async function notifyOfBindings(tx: Kysely<Tables>, change: BindingChange): Promise<void> {
  const whole = JSON.stringify(change)
  const payload =
    Buffer.byteLength(whole) <= MAX_PAYLOAD_BYTES ? whole : JSON.stringify({ ...change, instanceIds: null })
  await sql`select pg_notify(${BINDINGS_CHANGED_CHANNEL}, ${payload})`.execute(tx)
}

/** In this process. */
export function tellOfBindings(ctx: Pick<Context, 'bindingListeners'>, change: BindingChange): void {
  for (const listener of ctx.bindingListeners) listener(change)
}

/** What other processes change. */
export function listenForBindings(ctx: Pick<Context, 'bindingListeners' | 'listeners'>): void {
  ctx.listeners.set(BINDINGS_CHANGED_CHANNEL, {
    heard: (payload) => tellOfBindings(ctx, JSON.parse(payload) as BindingChange),
    connected: () => tellOfBindings(ctx, { tenantId: null, instanceIds: null }),
  })
}
