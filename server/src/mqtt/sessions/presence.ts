/**
 * Stores which clients are online, why they disconnected and why they were refused: one row per client, written in
 * batches, one batch after the other. Only the latest state of a client waits for its batch, so that neither a storm of
 * reconnects nor one of wrong keys costs a write per attempt, and a fast reconnect never ends as "disconnected".
 *
 * Each node writes only whether it has a session of the client itself, and times with what belongs to them only where they
 * are newer, so that a late write of one node changes nothing about the sessions at others.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { printable } from '../../ingest/json-object.ts'
import type { Runtime } from '../../runtime.ts'
import type { DisconnectReason } from '../../providers/live-sessions.ts'

/** The first change is written at once; those that follow within this time are written together after it. */
const GATHER_MS = 50
const RETRY_MS = 1000
/** The rows of one transaction, which limits how long locks are held and other writes wait. */
const ROWS_AT_ONCE = 1000
/** The length of the longest stored message, in characters: a message may quote data of a device. */
const MAX_MESSAGE_LENGTH = 1000

export type RefusalReason =
  | 'wrong_key'
  | 'client_disabled'
  | 'unknown_certificate'
  | 'user_name_differs'
  | 'certificate_revoked'
  | 'certificate_authority_revoked'
  | 'certificate_expired_may_renew'
  | 'certificate_expired'
  | 'certificate_not_yet_valid'
  | 'certificate_superseded'
  | 'certificate_of_other_tenant'
  | 'device_not_registered'
  | 'client_unknown'
  | 'topic_not_allowed'
  | 'client_id_not_allowed'
  | 'too_many_subscriptions'
  | 'too_many_sessions'
  | 'connections_per_address'

export interface Presence extends AsyncDisposable {
  connected(clientNumber: number, remoteAddress: string): void
  /** @param isLast whether the client has no other session on this node */
  disconnected(clientNumber: number, isLast: boolean, reason: DisconnectReason, message: string): void
  refused(clientNumber: number, reason: RefusalReason, message: string): void
  /** These clients have sessions on this node, which other nodes have found dead meanwhile. */
  restore(clientNumbers: Iterable<number>): void
}

/** @param clientNumber a client that counted as disconnected until `restore`, and is online again */
type OnRestored = (clientNumber: number) => void

/** The changed fields of a client's row; absent fields stay as they are. */
interface Change {
  connected?: boolean
  connectedAt?: Date
  remoteAddress?: string
  disconnectedAt?: Date
  disconnectReason?: DisconnectReason
  disconnectMessage?: string
  refusedAt?: Date
  refusedReason?: RefusalReason
  refusedMessage?: string
}

export function createPresence(
  { db, nodes, log }: Pick<Runtime, 'db' | 'nodes' | 'log'>,
  onRestored: OnRestored,
): Presence {
  const changes = new Map<number, Change>()
  let writing: Promise<void> | undefined
  const stopping = new AbortController()

  const note = (clientNumber: number, change: Change) => {
    changes.set(clientNumber, { ...changes.get(clientNumber), ...change })
    writing ??= write()
  }

  const write = async () => {
    while (changes.size > 0) {
      const batch = takeFirst(changes, ROWS_AT_ONCE)
      try {
        for (const clientNumber of await store(db, nodes.id, batch)) onRestored(clientNumber)
      } catch (error) {
        log.warn({ reason: (error as Error).message }, 'online state cannot be written')
        if (stopping.signal.aborted) break
        // Changes that arrived meanwhile are newer.
        for (const [clientNumber, older] of batch)
          changes.set(clientNumber, { ...older, ...changes.get(clientNumber) })
        await pause(RETRY_MS)
      }
      if (changes.size < ROWS_AT_ONCE) await pause(GATHER_MS)
    }
    // This runs in the same turn that found no changes left, so that none can be added in between.
    writing = undefined
  }
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {})

  return {
    connected: (clientNumber, remoteAddress) =>
      note(clientNumber, { connected: true, connectedAt: new Date(), remoteAddress }),
    disconnected: (clientNumber, isLast, disconnectReason, disconnectMessage) =>
      note(clientNumber, {
        ...(isLast && { connected: false }),
        disconnectedAt: new Date(),
        disconnectReason,
        disconnectMessage,
      }),
    refused: (clientNumber, refusedReason, refusedMessage) =>
      note(clientNumber, { refusedAt: new Date(), refusedReason, refusedMessage }),
    restore: (clientNumbers) => {
      for (const clientNumber of clientNumbers) note(clientNumber, { connected: true })
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await writing
    },
  }
}

/** Removes them from the map. */
function takeFirst<K, V>(map: Map<K, V>, count: number): [K, V][] {
  const taken: [K, V][] = []
  for (const entry of map) {
    if (taken.push(entry) === count) break
  }
  for (const [key] of taken) map.delete(key)
  return taken
}

/** Locks the rows in their order, as all nodes do, to avoid a deadlock. @returns the restored clients that counted as disconnected */
async function store(db: Kysely<Tables>, nodeId: string, changes: [number, Change][]): Promise<number[]> {
  const numbers = changes.map(([number]) => number)
  return db.transaction().execute(async (tx) => {
    await insertMissing(numbers).execute(tx)
    const { rows } = await lockRows(nodeId, numbers).execute(tx)
    await updateState(nodeId, changes.map(rowOf)).execute(tx)
    const absent = new Set(rows.filter(({ isHere }) => !isHere).map(({ number }) => number))
    return changes
      .filter(([number, change]) => isRestoring(change) && absent.has(number))
      .map(([number]) => number)
  })
}

const isRestoring = ({ connected, connectedAt }: Change) => connected === true && connectedAt === undefined

const rowOf = ([client_number, change]: [number, Change]) => ({
  client_number,
  connected: change.connected,
  connected_at: change.connectedAt,
  remote_address: change.remoteAddress,
  disconnected_at: change.disconnectedAt,
  disconnect_reason: change.disconnectReason,
  disconnect_message: change.disconnectMessage && printable(change.disconnectMessage, MAX_MESSAGE_LENGTH),
  refused_at: change.refusedAt,
  refused_reason:
    change.refusedReason &&
    `${change.refusedReason}: ${printable(change.refusedMessage!, MAX_MESSAGE_LENGTH)}`,
})

const insertMissing = (clientNumbers: number[]) => sql`
  insert into client_connections (client_number)
  select number from provider_clients where number = any(${clientNumbers}::int[]) order by number
  on conflict do nothing`

const lockRows = (nodeId: string, clientNumbers: number[]) => sql<{ number: number; isHere: boolean }>`
  select client_number as number, ${nodeId}::uuid = any(node_ids) as "isHere"
  from client_connections where client_number = any(${clientNumbers}::int[]) order by client_number
  for no key update`

const updateState = (nodeId: string, rows: object[]) => sql`
  update client_connections as row set
    node_ids = case when new.connected is null then row.node_ids
      else array_remove(row.node_ids, ${nodeId}::uuid) || case when new.connected then array[${nodeId}::uuid] else '{}' end end,
    ${replaceWhereNewer('connected_at', ['remote_address'])},
    ${replaceWhereNewer('disconnected_at', ['disconnect_reason', 'disconnect_message'])},
    refused_at = coalesce(new.refused_at, row.refused_at),
    refused_reason = coalesce(new.refused_reason, row.refused_reason)
  from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as new (client_number int, connected boolean, connected_at timestamptz,
    remote_address text, disconnected_at timestamptz, disconnect_reason text, disconnect_message text,
    refused_at timestamptz, refused_reason text)
  where row.client_number = new.client_number`

/** Another node may have written something newer. A stored time in the future is from before a clock was set back. */
function replaceWhereNewer(time: string, others: string[]): RawBuilder<unknown> {
  const [before, after] = [sql.ref(`row.${time}`), sql.ref(`new.${time}`)]
  const isNewer = sql`${after} is not null and (${before} between ${after} and clock_timestamp()) is not true`
  const changes = [time, ...others].map(
    (column) =>
      sql`${sql.ref(column)} = case when ${isNewer} then ${sql.ref(`new.${column}`)} else ${sql.ref(`row.${column}`)} end`,
  )
  return sql.join(changes)
}
