/**
 * Whether other processes work on this database, so that what only they need is said only where somebody hears it.
 * Whoever comes greets, and is answered: what was committed without knowing of it was committed before that answer.
 */
import type pg from 'pg'
import type { Pool } from 'pg'
import type { Listeners } from './listen.ts'

export interface Peers {
  /** False before this process listens, when it does nothing yet; true where nobody knows. */
  areThere: boolean
  /** Hear that from now on nothing goes unsaid between this process and another; before, something may have. */
  onMet: (() => void)[]
  /** @param client that listens already, and is counted for as long as it lives */
  greet(client: pg.Client): Promise<void>
  /** Looks whether the others are still there. */
  count(client: pg.Client): Promise<void>
}

const PEERS_CHANNEL = 'gangway_peers'
/** Each process holds this lock together with all others: it is how they are counted. */
const LOCK = '1734438503, 1'

interface Greeting {
  nodeId: string
  /** The one that greeted, in an answer. */
  to?: string
  /** It comes for the first time, and has done nothing yet. */
  isFresh?: boolean
}

export function createPeers(ctx: { pool: Pool; nodeId: string; listeners: Listeners }): Peers {
  const { nodeId } = ctx
  let greetings = 0
  let isFresh = true
  const say = (by: Pool | pg.Client, greeting: Greeting) =>
    by.query('select pg_notify($1, $2)', [PEERS_CHANNEL, JSON.stringify(greeting)])
  const meet = () => {
    for (const met of peers.onMet) met()
  }
  const peers: Peers = {
    areThere: false,
    onMet: [],
    greet: async (client) => {
      client.once('end', () => (peers.areThere = true))
      peers.areThere = true
      await client.query(`select pg_advisory_lock_shared(${LOCK})`)
      await say(client, { nodeId, isFresh })
      isFresh = false
      await peers.count(client)
    },
    count: async (client) => {
      const before = ++greetings
      const { rows } = await client.query<{ count: number }>(COUNT)
      // Whoever greeted meanwhile may not be counted yet.
      if (greetings === before) peers.areThere = rows[0]!.count > 1
    },
  }
  ctx.listeners.set(PEERS_CHANNEL, {
    heard: async (payload) => {
      const greeting = JSON.parse(payload) as Greeting
      if (greeting.nodeId === nodeId) return
      if (greeting.to !== undefined) return greeting.to === nodeId ? meet() : undefined
      greetings++
      peers.areThere = true
      await say(ctx.pool, { nodeId, to: greeting.nodeId })
      if (!greeting.isFresh) meet()
    },
    connected: () => {},
  })
  return peers
}

const COUNT = `select count(*)::int as count from pg_locks
  where locktype = 'advisory' and granted and (classid, objid, objsubid) = (${LOCK}, 2)
    and database = (select oid from pg_database where datname = current_database())`
