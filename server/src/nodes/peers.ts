/**
 * Knows whether there are other nodes on this database, so that messages for other nodes are published only if there
 * are any. A node that joins greets the others, and each answers: whatever a node committed without knowing of the new
 * node was committed before its answer. Greetings and answers also say whether a node uses NATS: as long as one does
 * not, the others do not rely on it.
 */
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../database/tables.ts'
import { channel } from './channel.ts'
import { findDeadNodes } from './node-lock.ts'
import type { Transport } from './transport.ts'

export interface Peers {
  /** False before this node joins, when it does no work yet; true if it is not known. */
  exist: boolean
  /** Called when this node and another begin to receive each other's messages; earlier messages may be lost. */
  onMet: (() => void)[]
  /** @param client a connection that receives messages already; this node is counted as long as it lives */
  greet(client: pg.Client): Promise<void>
  /** Counts the nodes. */
  count(client: pg.Client): Promise<void>
}

interface Greeting {
  /** In an answer: the node that greeted. */
  to?: string | undefined
  /** The node joins for the first time and has published nothing yet. */
  isFresh?: boolean
  /** Absent in greetings of earlier versions. */
  usesNats?: boolean
}

const greetings = channel<Greeting>('gangway_peers', { isByDatabase: true })
/** All nodes hold this lock, shared: they are counted by its holders. */
const LOCK = '1734438503, 1'

interface PeersContext {
  db: Kysely<Tables>
  nodes: { id: string; transport: Transport }
}

export function createPeers(ctx: PeersContext): Peers {
  let received = 0
  let isFresh = true
  const { transport } = ctx.nodes
  const { usesNats } = transport
  const withoutNats = new Set<string>()
  const note = (nodeId: string, isWithoutNats: boolean) => {
    if (!usesNats) return
    if (isWithoutNats) withoutNats.add(nodeId)
    else withoutNats.delete(nodeId)
    transport.setPeersWithoutNats(withoutNats)
  }
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
      await greetings.publish(ctx, ctx.db, { isFresh, usesNats })
      isFresh = false
      await peers.count(client)
    },
    count: async (client) => {
      const before = ++received
      const { rows } = await client.query<{ count: number }>(COUNT)
      // A node that greeted meanwhile may not be counted yet.
      if (received === before) peers.exist = rows[0]!.count > 1
      for (const nodeId of await findDeadNodes(ctx.db, [...withoutNats])) note(nodeId, false)
    },
  }
  greetings.subscribe(ctx, {
    onMessage: async (greeting, sender) => {
      if (sender.isOwn) return
      note(sender.nodeId!, !greeting.usesNats)
      if (greeting.to !== undefined) return greeting.to === ctx.nodes.id ? meet() : undefined
      received++
      peers.exist = true
      await greetings.publish(ctx, ctx.db, { to: sender.nodeId, usesNats })
      if (!greeting.isFresh) meet()
    },
  })
  return peers
}

const COUNT = `select count(*)::int as count from pg_locks
  where locktype = 'advisory' and granted and (classid, objid, objsubid) = (${LOCK}, 2)
    and database = (select oid from pg_database where datname = current_database())`
