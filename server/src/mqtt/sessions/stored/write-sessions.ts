/** States of sessions that this node owns. Of several writes of one state in a batch, the last one counts. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import type { OperationOfKind } from './operations.ts'

export async function saveSubscriptions(
  tx: Kysely<Tables>,
  operations: OperationOfKind<'saveSubscriptions'>[],
): Promise<void> {
  if (operations.length === 0) return
  const latest = [
    ...new Map(
      operations.map(({ session, subscriptions }) => [session.number, JSON.stringify(subscriptions)]),
    ),
  ]
  await sql`
    update mqtt_sessions as session set subscriptions = new.subscriptions
    from unnest(${latest.map(([number]) => number)}::bigint[], ${latest.map(([, text]) => text)}::jsonb[])
      as new (number, subscriptions)
    where session.number = new.number`.execute(tx)
}

export async function saveReceived(
  tx: Kysely<Tables>,
  operations: OperationOfKind<'insertReceived' | 'deleteReceived'>[],
): Promise<void> {
  const latest = [
    ...new Map(
      operations.map((operation) => [`${operation.session.number} ${operation.packetId}`, operation]),
    ).values(),
  ]
  const arrays = (kind: 'insertReceived' | 'deleteReceived') => {
    const ofKind = latest.filter((operation) => operation.kind === kind)
    return sql`unnest(${ofKind.map(({ session }) => session.number)}::bigint[],
      ${ofKind.map(({ packetId }) => packetId)}::int[])`
  }
  if (latest.some(({ kind }) => kind === 'deleteReceived'))
    await sql`
      delete from mqtt_session_received as received using ${arrays('deleteReceived')} as released (session_number, packet_id)
      where received.session_number = released.session_number and received.packet_id = released.packet_id`.execute(
      tx,
    )
  if (latest.some(({ kind }) => kind === 'insertReceived'))
    await sql`
      insert into mqtt_session_received (session_number, packet_id)
      select * from ${arrays('insertReceived')} on conflict do nothing`.execute(tx)
}

/** Others left these sessions for their node, because it seemed dead. */
export async function reclaimSessions(
  tx: Kysely<Tables>,
  nodeId: string,
  operations: OperationOfKind<'reclaim'>[],
): Promise<void> {
  if (operations.length === 0) return
  await sql`
    update mqtt_sessions set node_id = ${nodeId}::uuid, disconnected_at = null, expires_at = null
    where number = any(${operations.map(({ session }) => session.number)}::bigint[])`.execute(tx)
}

export async function leaveSessions(
  tx: Kysely<Tables>,
  operations: OperationOfKind<'leave'>[],
): Promise<void> {
  const ended = operations.filter(({ expirySeconds }) => expirySeconds === 0)
  const kept = operations.filter(({ expirySeconds }) => expirySeconds > 0)
  if (kept.length > 0)
    await sql`
      update mqtt_sessions as session set node_id = null, expiry_seconds = kept.expiry_seconds, disconnected_at = now(),
        expires_at = now() + make_interval(secs => kept.expiry_seconds)
      from unnest(${kept.map(({ session }) => session.number)}::bigint[],
        ${kept.map(({ expirySeconds }) => expirySeconds)}::bigint[]) as kept (number, expiry_seconds)
      where session.number = kept.number`.execute(tx)
  if (ended.length > 0)
    await sql`delete from mqtt_sessions where number = any(${ended.map(({ session }) => session.number)}::bigint[])`.execute(
      tx,
    )
}
