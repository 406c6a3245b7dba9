/**
 * The nodes of an installation: server processes on one database. Each receives what the others publish, knows whether
 * there are others, and cleans up after those that died.
 */
import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Tables } from '../database/tables.ts'
import { disconnectClientsOfDeadNodes } from './dead-clients.ts'
import { holdNodeLock } from './node-lock.ts'
import { type NatsConfig, usesNats } from '../lib/nats.ts'
import { createNatsTransport } from './nats-transport.ts'
import { createPeers, type Peers } from './peers.ts'
import { createPostgresTransport } from './postgres-transport.ts'
import type { Transport } from './transport.ts'

export interface Nodes {
  /** The id of this node. */
  id: string
  peers: Peers
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
  transport?: Transport
}

const CLEAN_UP_EVERY_MS = 30_000

export function createNodes({ id = randomUUID(), ...options }: NodeOptions): Nodes {
  const { db, transport = createTransport(options) } = options
  return { id, transport, peers: createPeers({ db, nodes: { id, transport } }) }
}

export const createTransport = ({ config, ...options }: TransportOptions): Transport =>
  config && usesNats(config)
    ? createNatsTransport({ ...options, settings: config })
    : createPostgresTransport(options)

/** All channels must be subscribed before. Resolves once this node receives messages and the other nodes know of it. */
export const joinNodes = ({ id, transport, peers }: Nodes, abort?: AbortSignal): Promise<AsyncDisposable> =>
  transport.connect(async (client) => {
    await holdNodeLock(client, id)
    await disconnectClientsOfDeadNodes(client, id)
    await peers.greet(client)
    const cleanUp = async () => {
      await disconnectClientsOfDeadNodes(client, id)
      await peers.count(client)
    }
    const timer = setInterval(() => cleanUp().catch(() => {}), CLEAN_UP_EVERY_MS)
    client.once('end', () => clearInterval(timer))
  }, abort)
