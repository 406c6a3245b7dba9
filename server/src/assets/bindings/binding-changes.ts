/**
 * Rooms that keep bindings in memory (ingest does) are called on each change: on this node before the change is answered,
 * so that the next message uses the new bindings; on others a moment later.
 */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { channel } from '../../nodes/channel.ts'
import type { Runtime } from '../../runtime.ts'

export interface BindingChange {
  /** Null: any tenant's, after messages of other nodes may have been lost. */
  tenantId: string | null
  /** The assets whose bindings changed, and what those read before and read now; null: any of the tenant's. */
  instanceIds: string[] | null
}

export const bindingsChanged = channel<BindingChange>('gangway_bindings_changed', {
  split: (change) => [{ ...change, instanceIds: null }],
})

/** Called after each change, whichever node made it. */
export interface BindingListeners {
  bindingListeners: ((change: BindingChange) => void)[]
}

export type AnnounceBindings = (instanceIds: string[]) => void

/** Runs a transaction that changes bindings; it says whose. */
export async function changeBindings<T>(
  ctx: Pick<Runtime, 'db' | 'nodes'> & BindingListeners,
  tenantId: string,
  run: (tx: Kysely<Tables>, announce: AnnounceBindings) => Promise<T>,
): Promise<T> {
  const instanceIds = new Set<string>()
  const result = await ctx.db.transaction().execute(async (tx) => {
    const answer = await run(tx, (ids) => ids.forEach((id) => instanceIds.add(id)))
    if (instanceIds.size > 0) await publishBindingChange(ctx, tx, { tenantId, instanceIds: [...instanceIds] })
    return answer
  })
  if (instanceIds.size > 0) applyBindingChange(ctx, { tenantId, instanceIds: [...instanceIds] })
  return result
}

/** To other nodes, once the transaction has committed. `applyBindingChange` is for this one. */
export const publishBindingChange = (
  ctx: Pick<Runtime, 'nodes'>,
  tx: Kysely<Tables>,
  change: BindingChange,
): Promise<void> => bindingsChanged.publish(ctx, tx, change)

/** On this node. */
export function applyBindingChange(ctx: BindingListeners, change: BindingChange): void {
  for (const listener of ctx.bindingListeners) listener(change)
}

export const subscribeToBindingChanges = (ctx: Pick<Runtime, 'nodes'> & BindingListeners): void =>
  bindingsChanged.subscribe(ctx, {
    onMessage: (change) => applyBindingChange(ctx, change),
    onReconnect: () => applyBindingChange(ctx, { tenantId: null, instanceIds: null }),
  })
