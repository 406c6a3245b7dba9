/**
 * Applies changes of clients to their live sessions on all nodes. A change is published in its transaction. This node
 * applies it after the commit, the other nodes when they receive it.
 */
import type { Kysely } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import { channel } from '../../nodes/channel.ts'
import type { LiveSession } from '../live-sessions.ts'
import { sendDesired } from '../twin/send-desired.ts'

/** `message` says who made the change, for the client's operator. */
export type ClientChange =
  | ({
      clientId: string
      /** Live sessions are found by client id, and only ids of clients on the broker are unique in the installation. */
      onBroker: boolean
    } & (
      | { change: 'client_disabled' | 'client_deleted' | 'keys_rotated'; message: string }
      | { change: 'desired_changed'; clientNumber: number }
      | { change: 'parser_changed' }
    ))
  /** Concerns all clients of a provider that have no parser of their own. */
  | { change: 'provider_parser_changed' }

/** The node that publishes a change applies it itself. */
export const clientChanges = channel<ClientChange>('gangway_client_changed', {
  // The other changes also concern devices that are just signing in.
  findOwner: (change) => (change.change === 'desired_changed' ? change.clientId : undefined),
})

/** Announces a change in its transaction. */
export type Announce = (change: ClientChange) => Promise<void>

/** Runs a transaction and applies the changes that it announced after the commit; a rollback discards them. */
export async function runClientChange<T>(
  ctx: Context,
  run: (tx: Kysely<Tables>, announce: Announce) => Promise<T>,
): Promise<T> {
  const changes: ClientChange[] = []
  const result = await ctx.db.transaction().execute(async (tx) => {
    const answer = await run(tx, async (change) => {
      if (!('onBroker' in change) || change.onBroker) changes.push(change)
    })
    await clientChanges.publish(ctx, tx, ...changes)
    return answer
  })
  for (const change of changes) await applyClientChange(ctx, change)
  return result
}

/** Applies a change to the live sessions on this node. */
export async function applyClientChange(ctx: Context, change: ClientChange): Promise<void> {
  // The gateway of each node, including this one, reads the parser again when it receives the change.
  if (change.change === 'parser_changed' || change.change === 'provider_parser_changed') return
  const sessions = ctx.liveSessions.list(change.clientId)
  if (sessions.length === 0) return
  if (change.change === 'desired_changed') return sendDesired(ctx, change.clientId, change.clientNumber)
  for (const session of sessions)
    if (change.change !== 'keys_rotated' || !survivesRotation(session))
      session.end(change.change, change.message)
}

/** The previous secondary key is now primary, so sessions that signed in with it continue. [docs/providers#credentials] */
function survivesRotation(session: LiveSession): boolean {
  if (session.signedInWith === 'primary') return false
  if (session.signedInWith === 'secondary') session.signedInWith = 'primary'
  return true
}
