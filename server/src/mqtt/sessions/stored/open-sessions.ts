/**
 * Opens and removes sessions of many clients in one transaction. The row of each client that opens a session is locked
 * first, so that its sessions are counted by one node at a time.
 */
import { type Kysely, sql } from 'kysely'
import { transactOnce } from '../../../database/transact-once.ts'
import type { Tables } from '../../../database/tables.ts'
import { findDeadNodes } from '../../../nodes/node-lock.ts'
import type { Runtime } from '../../../runtime.ts'
import type { Subscription } from '../publication.ts'
import { clientsChanged, sessionsChanged } from './channels.ts'
import { loadSessions } from './load-sessions.ts'
import { sessionName } from './owned-sessions.ts'
import {
  divideIntoRounds,
  type ExistingSession,
  type OpeningPlan,
  type OpenWish,
  planOpening,
  type Request,
} from './plan-opening.ts'
import { type OpenedSession, SessionLostError } from './stored-sessions.ts'

type Ctx = Pick<Runtime, 'db' | 'nodes'>

export interface OpeningResult {
  /** For each request: the opened session, nothing for a removal, or an error. */
  outcomes: (OpenedSession | Error | undefined)[]
  removed: ExistingSession[]
  evicted: ExistingSession[]
}

export const openSessions = (ctx: Ctx, requests: Request[], patienceMs: number): Promise<OpeningResult> =>
  transactOnce(ctx.db, patienceMs, async (tx) => {
    const opened = new Map<Request, OpenedSession>()
    const result: OpeningResult = { outcomes: [], removed: [], evicted: [] }
    const clients = await lockClients(tx, requests)
    const known = requests.filter(({ kind, clientNumber }) => kind === 'remove' || clients.has(clientNumber))
    for (const round of divideIntoRounds(known)) {
      const plan = planOpening(round, await lockSessions(ctx, tx, round))
      for (const [request, session] of await carryOut(ctx, tx, plan)) opened.set(request, session)
      result.removed.push(...plan.removed)
      result.evicted.push(...plan.evicted)
    }
    result.outcomes = requests.map((request) =>
      request.kind === 'remove'
        ? undefined
        : (opened.get(request) ?? new SessionLostError('The client was deleted.')),
    )
    return result
  })

type LockedSession = Omit<ExistingSession, 'number'> & { number: string; endsWithConnection: boolean }

async function lockClients(tx: Kysely<Tables>, requests: Request[]): Promise<Set<number>> {
  const numbers = requests.flatMap(({ kind, clientNumber }) => (kind === 'open' ? clientNumber : []))
  if (numbers.length === 0) return new Set()
  const { rows } = await sql<{ number: number }>`
    select number from provider_clients where number = any(${[...new Set(numbers)]}::int[]) order by number
    for no key update`.execute(tx)
  return new Set(rows.map(({ number }) => number))
}

/** Locks all sessions of the clients, in the order of their numbers. */
async function lockSessions(
  { nodes }: Ctx,
  tx: Kysely<Tables>,
  requests: Request[],
): Promise<ExistingSession[]> {
  const clientNumbers = [...new Set(requests.map(({ clientNumber }) => clientNumber))]
  const { rows } = await sql<LockedSession>`
    select number, client_number as "clientNumber", client_id as "clientId", node_id as "nodeId", generation,
      disconnected_at as "disconnectedAt", coalesce(expires_at <= now(), false) as "isExpired", expiry_seconds = 0 as "endsWithConnection"
    from mqtt_sessions where client_number = any(${clientNumbers}::int[]) order by number for update`.execute(
    tx,
  )
  const isElsewhere = ({ endsWithConnection, nodeId }: LockedSession) =>
    endsWithConnection && nodeId !== null && nodeId !== nodes.id
  const dead = await findDeadNodes(
    tx,
    rows.filter(isElsewhere).map(({ nodeId }) => nodeId!),
  )
  return rows.map(({ endsWithConnection, ...row }) => ({
    ...row,
    number: Number(row.number),
    // The connection of a dead node has ended, before a job notices it.
    isExpired: row.isExpired || (endsWithConnection && (row.nodeId === null || dead.has(row.nodeId))),
  }))
}

async function carryOut(
  ctx: Ctx,
  tx: Kysely<Tables>,
  plan: OpeningPlan,
): Promise<Map<Request, OpenedSession>> {
  await deleteSessions(tx, plan.removed)
  const created = await insertSessions(ctx, tx, plan.created)
  const resumed = await loadSessions(tx, await claimSessions(ctx, tx, plan.resumed))
  await publishOpening(ctx, tx, plan)
  return new Map([...created, ...resumed])
}

async function deleteSessions(tx: Kysely<Tables>, sessions: ExistingSession[]): Promise<void> {
  if (sessions.length === 0) return
  await sql`delete from mqtt_sessions where number = any(${sessions.map(({ number }) => number)}::bigint[])`.execute(
    tx,
  )
}

async function insertSessions(
  { nodes }: Ctx,
  tx: Kysely<Tables>,
  requests: OpenWish[],
): Promise<[Request, OpenedSession][]> {
  if (requests.length === 0) return []
  const { rows } = await sql<{ number: string; client_number: number; client_id: string }>`
    insert into mqtt_sessions (client_number, client_id, node_id, expiry_seconds)
    select client_number, client_id, ${nodes.id}::uuid, expiry_seconds
    from unnest(${requests.map(({ clientNumber }) => clientNumber)}::int[],
      ${requests.map(({ clientId }) => clientId)}::text[],
      ${requests.map(({ expirySeconds }) => expirySeconds)}::bigint[]) as new (client_number, client_id, expiry_seconds)
    returning number, client_number, client_id`.execute(tx)
  const numbers = new Map(
    rows.map((row) => [sessionName(row.client_number, row.client_id), Number(row.number)]),
  )
  return requests.map((request) => {
    const key = { number: numbers.get(sessionName(request.clientNumber, request.clientId))!, generation: 1 }
    return [request, { key, isResumed: false, subscriptions: [], messages: [], received: [] }]
  })
}

async function claimSessions(
  { nodes }: Ctx,
  tx: Kysely<Tables>,
  resumed: OpeningPlan['resumed'],
): Promise<[Request, OpenedSession][]> {
  if (resumed.length === 0) return []
  const { rows } = await sql<{ number: string; generation: number; subscriptions: Subscription[] }>`
    update mqtt_sessions as session set generation = generation + 1, node_id = ${nodes.id}::uuid,
      expiry_seconds = opened.expiry_seconds, disconnected_at = null, expires_at = null
    from unnest(${resumed.map(({ session }) => session.number)}::bigint[],
      ${resumed.map(({ request }) => request.expirySeconds)}::bigint[]) as opened (number, expiry_seconds)
    where session.number = opened.number
    returning session.number, generation, subscriptions`.execute(tx)
  const claimed = new Map(rows.map((row) => [Number(row.number), row]))
  return resumed.map(({ request, session: { number } }) => {
    const { generation, subscriptions } = claimed.get(number)!
    const key = { number, generation }
    return [request, { key, isResumed: true, subscriptions, messages: [], received: [] }]
  })
}

async function publishOpening(ctx: Ctx, tx: Kysely<Tables>, plan: OpeningPlan): Promise<void> {
  if (!ctx.nodes.peers.exist) return
  const opened = [...plan.removed, ...plan.resumed.map(({ session }) => session)]
    .filter(({ nodeId }) => nodeId && nodeId !== ctx.nodes.id)
    .map(({ number, generation }) => ({ number, generation: generation + 1 }))
  if (opened.length > 0) await sessionsChanged.publish(ctx, tx, { opened, withMessages: [] })
  const clientNumbers = [...plan.removed, ...plan.created].map(({ clientNumber }) => clientNumber)
  if (clientNumbers.length > 0)
    await clientsChanged.publish(ctx, tx, { clientNumbers: [...new Set(clientNumbers)] })
}
