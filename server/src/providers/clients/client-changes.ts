/**
 * A change of a client concerns its live sessions, whichever process holds them. It is announced in the transaction
 * that makes it, and done here once that has committed; the other processes do it when they hear of it.
 */
import { type Kysely, sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { LiveSession } from '../live-sessions.ts'
import { sendDesired } from '../twin/send-desired.ts'

/** @param message says to the client's operator who did what */
export type ClientChange =
  | ({
      clientId: string
      /** Ids of others are not unique in the installation, and live sessions are found by them alone. */
      onBroker: boolean
    } & (
      | { change: 'client_disabled' | 'client_deleted' | 'keys_rotated'; message: string }
      | { change: 'desired_changed'; clientNumber: number }
      | { change: 'parser_changed' }
    ))
  /** Of all clients of a provider that have none of their own. */
  | { change: 'provider_parser_changed' }

/** Its payload is a `ClientChange` with the `nodeId` of the process that made it, which has done it already. */
export const CLIENT_CHANGED_CHANNEL = 'gangway_client_changed'

/** Announces a change inside the transaction that makes it. */
export type Announce = (change: ClientChange) => Promise<void>

/** Runs a transaction; what it announced is applied once it has committed, and forgotten when it has not. */
export async function changingClient<T>(
  ctx: Context,
  run: (tx: Kysely<Tables>, announce: Announce) => Promise<T>,
): Promise<T> {
  const changes: ClientChange[] = []
  const result = await ctx.db.transaction().execute(async (tx) => {
    const answer = await run(tx, async (change) => {
      if (!('onBroker' in change) || change.onBroker) changes.push(change)
    })
    const payloads = changes.map((change) => JSON.stringify({ ...change, nodeId: ctx.nodeId }))
    if (payloads.length > 0)
      await sql`select pg_notify(${CLIENT_CHANGED_CHANNEL}, payload) from unnest(${payloads}::text[]) payload`.execute(
        tx,
      )
    return answer
  })
  for (const change of changes) await applyClientChange(ctx, change)
  return result
}

/** In this process. */
export async function applyClientChange(ctx: Context, change: ClientChange): Promise<void> {
  // Every gateway, the one of this process too, looks it up once it hears of it.
  if (change.change === 'parser_changed' || change.change === 'provider_parser_changed') return
  const sessions = ctx.liveSessions.of(change.clientId)
  if (sessions.length === 0) return
  if (change.change === 'desired_changed') return sendDesired(ctx, change.clientId, change.clientNumber)
  for (const session of sessions)
    if (change.change !== 'keys_rotated' || !outlivesRotation(session))
      session.end(change.change, change.message)
}

/** The former secondary key is the primary one now, and who signed in with it stays. [docs/providers#credentials] */
function outlivesRotation(session: LiveSession): boolean {
  if (session.signedInWith === 'primary') return false
  if (session.signedInWith === 'secondary') session.signedInWith = 'primary'
  return true
}
