/**
 * Whether other nodes work on this database, so that what only they need is published only where somebody receives it.
 * A node that joins greets the others, and each answers: what was committed without knowing of it was committed before
 * that answer.
 */
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../database/tables.ts'
import { channel } from './channel.ts'
import type { Transport } from './transport.ts'

export interface Peers {
  /** False before this node joins, when it does nothing yet; true where it is not known. */
  exist: boolean
  /** Called when from now on this node and another receive all that the other publishes; before, something may be lost. */
  onMet: (() => void)[]
  /** @param client whose connection receives messages already, and is counted as long as it lives */
  greet(client: pg.Client): Promise<void>
  /** Counts the nodes. */
  count(client: pg.Client): Promise<void>
}

interface Greeting {
  /** In an answer: the node that greeted. */
  to?: string | undefined
  /** The node joins for the first time, and has done nothing yet. */
  isFresh?: boolean
}

const greetings = channel<Greeting>('gangway_peers')
/** Each node holds this lock together with all others: it is how they are counted. */
const LOCK = '1734438503, 1'

interface PeersContext {
  db: Kysely<Tables>
  nodes: { id: string; transport: Transport }
}

export function createPeers(ctx: PeersContext): Peers {
  let received = 0
  let isFresh = true
  const meet = () => {
    for (const met of peers.onMet) met()
  }
  const peers: Peers = {
    exist: false,
    onMet: [],
    greet: async (client) => {
      client.once('end', () => (peers.exist = true))
      peers.exist = true
      await client.query(`select pg_advisory_lock_shared(${LOCK})`)
      await greetings.publish(ctx, ctx.db, { isFresh })
      isFresh = false
      await peers.count(client)
    },
    count: async (client) => {
      const before = ++received
      const { rows } = await client.query<{ count: number }>(COUNT)
      // A node that greeted meanwhile may not be counted yet.
      if (received === before) peers.exist = rows[0]!.count > 1
    },
  }
  greetings.subscribe(ctx, {
    onMessage: async (greeting, sender) => {
      if (sender.isOwn) return
      if (greeting.to !== undefined) return greeting.to === ctx.nodes.id ? meet() : undefined
      received++
      peers.exist = true
      await greetings.publish(ctx, ctx.db, { to: sender.nodeId })
      if (!greeting.isFresh) meet()
    },
  })
  return peers
}

const COUNT = `select count(*)::int as count from pg_locks
  where locktype = 'advisory' and granted and (classid, objid, objsubid) = (${LOCK}, 2)
    and database = (select oid from pg_database where datname = current_database())`
