/**
 * The nodes of an installation: server processes on one database. Each receives what the others publish, knows whether
 * there are others, and which of them work.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Tables } from '../database/tables.ts'
import { createLiveness, type Liveness } from './liveness.ts'
import { holdNodeLock } from './node-lock.ts'
import { type NatsConfig, usesNats } from '../lib/nats.ts'
import { createNatsTransport } from './nats-transport.ts'
import { createPauses, type Pauses } from './pauses.ts'
import { createPeers, type Peers } from './peers.ts'
import { createPostgresTransport } from './postgres-transport.ts'
import type { Transport } from './transport.ts'

export interface Nodes {
  /** The id of this node. */
  id: string
  peers: Peers
  /** Which nodes work. */
  liveness: Liveness
  /** Whether this node stood still a short time ago. */
  pauses: Pauses
  /** Used by channels only. */
  transport: Transport
}

interface TransportOptions {
  pool: pg.Pool
  db: Kysely<Tables>
  log: Logger
  /** Without NATS the database carries the messages. */
  config?: NatsConfig
}

export interface NodeOptions extends TransportOptions {
  id?: string
  /** The database is embedded in this node. */
  isOnlyNode?: boolean
  transport?: Transport
}

const COUNT_EVERY_MS = 30_000
/** The database may hang while this node leaves. */
const LEAVE_MS = 1000

export function createNodes({ id = randomUUID(), isOnlyNode = false, ...options }: NodeOptions): Nodes {
  const { db, log, transport = createTransport(options) } = options
  const peers = createPeers({ db, nodes: { id, transport } })
  return {
    id,
    transport,
    peers,
    pauses: createPauses(peers),
    liveness: createLiveness({ db, log, nodeId: id, isOnlyNode }),
  }
}

export const createTransport = ({ config, ...options }: TransportOptions): Transport =>
  config && usesNats(config)
    ? createNatsTransport({ ...options, settings: config })
    : createPostgresTransport(options)

/** All channels must be subscribed before. Resolves once this node receives messages and the other nodes know of it. */
export async function joinNodes(
  { id, transport, peers, pauses, liveness }: Nodes,
  abort?: AbortSignal,
): Promise<AsyncDisposable> {
  const joined = await transport.connect(async (client) => {
    await holdNodeLock(client, id)
    await liveness.watch(client)
    await peers.greet(client)
    const timer = setInterval(() => peers.count(client).catch(() => {}), COUNT_EVERY_MS)
    client.once('end', () => clearInterval(timer))
  }, abort)
  const watching = pauses.watch()
  return {
    [Symbol.asyncDispose]: async () => {
      watching[Symbol.dispose]()
      // The others find out by themselves where the database is away.
      await Promise.race([liveness.leave(), sleep(LEAVE_MS, undefined, { ref: false })]).catch(() => {})
      await joined[Symbol.asyncDispose]()
    },
  }
}
