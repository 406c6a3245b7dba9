/** Stores a batch of writes in one transaction, with one statement for each kind of write in it. */
import { type Kysely, sql } from 'kysely'
import { transactOnce } from '../../../database/transact-once.ts'
import type { Tables } from '../../../database/tables.ts'
import type { Runtime } from '../../../runtime.ts'
import { clientsChanged, sessionsChanged } from './channels.ts'
import { insertForOthers } from './insert-for-others.ts'
import { listLockedSessions, listSessionNumbers, type Operation, type OperationOfKind } from './operations.ts'
import { type SessionKey, SessionLostError } from './stored-sessions.ts'
import { takeNewMessages } from './take-new-messages.ts'
import { deleteMessages, insertMessages, releaseMessages } from './write-messages.ts'
import { leaveSessions, reclaimSessions, saveReceived, saveSubscriptions } from './write-sessions.ts'

export interface BatchResult {
  /** For each operation what it yields, or the error of this operation alone. */
  outcomes: unknown[]
  /** Sessions of this node for which messages were stored as for others. */
  newHere: number[]
}

interface LockedSession {
  number: string
  client_number: number
  node_id: string | null
  generation: number
}

type LockedSessions = Map<number, LockedSession>

export const writeBatch = (
  ctx: Pick<Runtime, 'db' | 'nodes'>,
  operations: Operation[],
  patienceMs: number,
): Promise<BatchResult> =>
  transactOnce(ctx.db, patienceMs, async (tx) => {
    const sessions = await lockSessions(tx, operations.flatMap(listLockedSessions))
    const allowed = operations.filter((operation) => !isLost(operation, sessions))
    const select = <K extends Operation['kind']>(...kinds: K[]) => selectKinds(allowed, kinds)
    const outcomes = new Map<Operation, unknown>(allowed.map((operation) => [operation, undefined]))
    const yields = (kind: Operation['kind'], results: unknown[]) =>
      select(kind).forEach((operation, index) => outcomes.set(operation, results[index]))

    // Deletions come first: their packet identifiers may be in use again.
    await deleteMessages(tx, select('deleteMessage'))
    await releaseMessages(tx, select('releaseMessage'))
    await saveReceived(tx, [
      ...select('insertReceived', 'deleteReceived'),
      ...select('insertForOthers').flatMap(toInsertReceived),
    ])
    await saveSubscriptions(tx, select('saveSubscriptions'))
    yields('insertMessage', await insertMessages(tx, select('insertMessage')))
    yields('insertForOthers', await insertForOthers(tx, select('insertForOthers'), sessions))
    yields('takeNewMessages', await takeNewMessages(tx, select('takeNewMessages')))
    await reclaimSessions(tx, ctx.nodes.id, select('reclaim'))
    await leaveSessions(tx, select('leave'))
    const newHere = await publishChanges(ctx, tx, allowed, sessions)
    return { outcomes: operations.map((operation) => outcomeOf(operation, outcomes)), newHere }
  })

/** Locks them in the order of their numbers, as everybody does, to avoid a deadlock. */
async function lockSessions(tx: Kysely<Tables>, numbers: number[]): Promise<LockedSessions> {
  const { rows } = await sql<LockedSession>`
    select number, client_number, node_id, generation from mqtt_sessions
    where number = any(${[...new Set(numbers)]}::bigint[]) order by number for no key update`.execute(tx)
  return new Map(rows.map((row) => [Number(row.number), row]))
}

function isLost(operation: Operation, sessions: LockedSessions): boolean {
  if (operation.kind === 'insertForOthers')
    return operation.received !== undefined && !owns(operation.received.session, sessions)
  const session = sessions.get(operation.session.number)
  // The end of a session that is gone is achieved.
  if (!session) return operation.kind !== 'leave' || operation.expirySeconds > 0
  return session.generation !== operation.session.generation
}

const owns = ({ number, generation }: SessionKey, sessions: LockedSessions): boolean =>
  sessions.get(number)?.generation === generation

const toInsertReceived = ({
  received,
}: OperationOfKind<'insertForOthers'>): OperationOfKind<'insertReceived'>[] =>
  received ? [{ kind: 'insertReceived', ...received }] : []

const selectKinds = <K extends Operation['kind']>(
  operations: Operation[],
  kinds: K[],
): OperationOfKind<K>[] =>
  operations.filter((operation): operation is OperationOfKind<K> => kinds.includes(operation.kind as K))

const outcomeOf = (operation: Operation, outcomes: Map<Operation, unknown>): unknown =>
  outcomes.has(operation)
    ? outcomes.get(operation)
    : new SessionLostError('Another node owns the session, or it was removed.')

/** @returns the sessions of this node for which messages were stored as for others */
async function publishChanges(
  ctx: Pick<Runtime, 'nodes'>,
  tx: Kysely<Tables>,
  operations: Operation[],
  sessions: LockedSessions,
): Promise<number[]> {
  const { id: nodeId, peers } = ctx.nodes
  const connected = [
    ...new Set(selectKinds(operations, ['insertForOthers']).flatMap(listSessionNumbers)),
  ].filter((number) => sessions.get(number)?.node_id)
  const isHere = (number: number) => sessions.get(number)!.node_id === nodeId
  const withMessages = connected.filter((number) => !isHere(number))
  if (peers.exist && withMessages.length > 0)
    await sessionsChanged.publish(ctx, tx, { opened: [], withMessages })
  const clientNumbers = selectKinds(operations, ['saveSubscriptions', 'leave'])
    .filter((operation) => operation.kind !== 'leave' || operation.expirySeconds === 0)
    .flatMap(({ session }) => sessions.get(session.number)?.client_number ?? [])
  if (peers.exist && clientNumbers.length > 0)
    await clientsChanged.publish(ctx, tx, { clientNumbers: [...new Set(clientNumbers)] })
  return connected.filter(isHere)
}
