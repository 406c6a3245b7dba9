/**
 * Knows which nodes work. Each counts up its beat in the database; those that see it stand still for several of their own
 * beats declare the node dead, with one write. From then on its devices count as disconnected, and its connections to the
 * database are closed, so that its locks are free and what it had begun is rolled back. [docs/operating#sessions-and-presence]
 *
 * Time is counted in the beats of the observer: while the database does not answer, nobody is declared dead. Nor is
 * anybody once it answers again, until all nodes have had the time to connect. A node that starts does not wait if the
 * database has run for longer than that, or is embedded in it: nodes without a connection are dead then.
 */
import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Tables } from '../database/tables.ts'
import { disconnectClientsOfDeadNode } from './dead-clients.ts'
import { endConnectionsOfNode, nodeLockIsFree } from './node-lock.ts'

export interface Liveness {
  /** Whether no other node can have declared this one dead by now. */
  isCertain(): boolean
  /** Called when this node works again after others have declared it dead. */
  onRevived: (() => void)[]
  /** @param client a connection that holds the lock of this node; it watches for as long as this lives */
  watch(client: pg.Client): Promise<void>
  /** The devices of this node count as disconnected from now on. */
  leave(): Promise<void>
}

interface State {
  db: Kysely<Tables>
  log: Logger
  nodeId: string
  /** No other node can exist, since the database is embedded in this one. */
  isOnlyNode: boolean
  /** The beats of others, and how many rounds ago they were new. */
  peers: Map<string, { beat: string; rounds: number }>
  /** Rounds over the present connection to the database. */
  rounds: number
  isFirstRound: boolean
  hasLeft: boolean
  /** Before this monotonic time no other node can declare this one dead. */
  certainUntilMs: number
  /** The dead nodes that this one cleans up after at present. */
  settling: Set<string>
  onRevived: (() => void)[]
}

interface NodeRow {
  id: string
  beat: string
  isDead: boolean
  /** Since it was declared dead. */
  deadSeconds: number
  /** Its connection to the database has ended: it was killed, or reconnects. */
  isGone: boolean
  /** The database has run for so long that all nodes have had the time to connect. */
  isSettled: boolean
}

const ROUND_MS = 1500
/** A hung node is noticed 6 to 9 seconds after its last beat. */
const ROUNDS_UNTIL_HUNG = 5
/** A node that has lost its connection alone is back within a second. */
const ROUNDS_UNTIL_GONE = 2
/** An attempt to connect takes up to 10 s (`connectionTimeoutMillis`), and follows half a second after the one before. */
const ROUNDS_UNTIL_ALL_ARE_BACK = 8
/** Shorter than the rounds until another node declares this one dead while it holds its connection. */
const CERTAIN_MS = 3 * ROUND_MS
/** The node that declares another one dead cleans up after it; it may die itself. */
const TAKE_OVER_SECONDS = 30

export function createLiveness(ctx: Pick<State, 'db' | 'log' | 'nodeId' | 'isOnlyNode'>): Liveness {
  const state: State = {
    ...ctx,
    peers: new Map(),
    rounds: 0,
    isFirstRound: true,
    hasLeft: false,
    certainUntilMs: 0,
    settling: new Set(),
    onRevived: [],
  }
  return {
    isCertain: () => performance.now() < state.certainUntilMs,
    onRevived: state.onRevived,
    watch: (client) => watch(state, client),
    leave: async () => {
      state.hasLeft = true
      await sql`update server_nodes set died_at = now() where id = ${ctx.nodeId}::uuid`.execute(ctx.db)
    },
  }
}

async function watch(state: State, client: pg.Client): Promise<void> {
  let running: Promise<void> | undefined
  const round = () =>
    (running ??= playRound(state, client)
      // The end of the connection says more, and another one follows.
      .catch(() => {})
      .finally(() => (running = undefined)))
  const timer = setInterval(() => void round(), ROUND_MS)
  client.once('end', () => {
    clearInterval(timer)
    state.certainUntilMs = 0
    // The beats of other nodes are not known for this time.
    state.peers.clear()
    state.rounds = 0
  })
  await register(state, client)
  await playRound(state, client)
  state.isFirstRound = false
}

/** Makes this node count as alive. */
async function register(state: State, client: pg.Client): Promise<void> {
  if (state.hasLeft) return
  const { rows } = await client.query<{ wasAlive: boolean }>(
    `with before as (select from server_nodes where id = $1 and died_at is null)
     insert into server_nodes (id) values ($1)
     on conflict (id) do update set died_at = null, beat = server_nodes.beat + 1
     returning exists (select from before) as "wasAlive"`,
    [state.nodeId],
  )
  if (rows[0]!.wasAlive || state.isFirstRound) return
  state.log.warn('other nodes have found this one dead: it tells them which devices are connected')
  for (const revived of state.onRevived) revived()
}

async function playRound(state: State, client: pg.Client): Promise<void> {
  const sinceMs = performance.now()
  const { rows } = await client.query<NodeRow>(
    `select id, beat, died_at is not null as "isDead", extract(epoch from now() - died_at)::float8 as "deadSeconds",
       ${nodeLockIsFree('id')} as "isGone", extract(epoch from now() - pg_postmaster_start_time()) > $2 as "isSettled"
     from server_nodes where id <> $1`,
    [state.nodeId, (ROUNDS_UNTIL_ALL_ARE_BACK * ROUND_MS) / 1000],
  )
  if (rows.length > 0) await countUp(state, client)
  state.certainUntilMs = sinceMs + CERTAIN_MS
  state.rounds++
  const ids = new Set(rows.map(({ id }) => id))
  for (const id of state.peers.keys()) if (!ids.has(id)) state.peers.delete(id)
  for (const row of rows)
    if (row.isDead) {
      state.peers.delete(row.id)
      if (state.isFirstRound || row.deadSeconds > TAKE_OVER_SECONDS) settle(state, row.id)
    } else if (seemsDead(state, row)) await declareDead(state, client, row)
}

async function countUp(state: State, client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(
    'update server_nodes set beat = beat + 1 where id = $1 and died_at is null',
    [state.nodeId],
  )
  if (rowCount === 0) await register(state, client)
}

/** A node that connects again counts up its beat, so that its rounds begin again. */
function seemsDead(
  { peers, rounds, isFirstRound, isOnlyNode }: State,
  { id, beat, isGone, isSettled }: NodeRow,
): boolean {
  if (isFirstRound && isGone && (isOnlyNode || isSettled)) return true
  const peer = peers.get(id)
  if (peer?.beat !== beat) {
    peers.set(id, { beat, rounds: 0 })
    return false
  }
  peer.rounds++
  return rounds > ROUNDS_UNTIL_ALL_ARE_BACK && peer.rounds >= (isGone ? ROUNDS_UNTIL_GONE : ROUNDS_UNTIL_HUNG)
}

/** One of the nodes that try it declares the node dead, unless it has given a beat meanwhile. */
async function declareDead(state: State, client: pg.Client, { id, beat, isGone }: NodeRow): Promise<void> {
  const { rowCount } = await client.query(
    'update server_nodes set died_at = now() where id = $1 and beat = $2 and died_at is null',
    [id, beat],
  )
  if (rowCount === 0) return
  // It begins to count again when it works again.
  state.peers.delete(id)
  state.log.warn({ node: id, hung: !isGone }, 'another node does not work any more')
  settle(state, id)
  if (isGone) return
  await endConnectionsOfNode(client, id).catch((error: Error) =>
    state.log.warn({ node: id, reason: error.message }, 'the connections of a hung node cannot be closed'),
  )
}

/** Beside the rounds, which must go on. */
function settle({ db, log, settling }: State, nodeId: string): void {
  if (settling.has(nodeId)) return
  settling.add(nodeId)
  disconnectClientsOfDeadNode(db, nodeId)
    // The next rounds try again.
    .catch((error: Error) =>
      log.warn({ reason: error.message }, 'the clients of a dead node cannot be written'),
    )
    .finally(() => settling.delete(nodeId))
}
