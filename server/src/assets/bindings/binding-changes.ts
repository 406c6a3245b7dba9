/**
 * Notifies rooms that cache bindings, such as ingest. On this node they are notified before the change is answered, so
 * that the next message uses the new bindings; other nodes follow a moment later.
 */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { channel } from '../../nodes/channel.ts'
import type { Runtime } from '../../runtime.ts'

export interface BindingChange {
  /** Null means all tenants, after messages of other nodes may have been lost. */
  tenantId: string | null
  /**
   * The assets whose bindings changed, with the instances that they read from before and after. Null means all of the
   * tenant.
   */
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

/** Runs a transaction that changes bindings and announces the affected instances. */
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

/**
 * Publishes the change to other nodes when the transaction commits. `applyBindingChange` does the same on this node.
 */
export const publishBindingChange = (
  ctx: Pick<Runtime, 'nodes'>,
  tx: Kysely<Tables>,
  change: BindingChange,
): Promise<void> => bindingsChanged.publish(ctx, tx, change)

/** Notifies the listeners on this node. */
export function applyBindingChange(ctx: BindingListeners, change: BindingChange): void {
  for (const listener of ctx.bindingListeners) listener(change)
}

export const subscribeToBindingChanges = (ctx: Pick<Runtime, 'nodes'> & BindingListeners): void =>
  bindingsChanged.subscribe(ctx, {
    onMessage: (change) => applyBindingChange(ctx, change),
    onReconnect: () => applyBindingChange(ctx, { tenantId: null, instanceIds: null }),
  })
