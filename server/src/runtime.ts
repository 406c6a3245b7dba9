/** The parts of the floor, created once at start. Services on top of them are in `context.ts`. */
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Database } from './database/open.ts'
import { createQueries, type Queries } from './database/queries.ts'
import { createReplicaMetrics } from './database/replica-metrics.ts'
import type { Tables } from './database/tables.ts'
import { createDeviceWarnings, type WarnOfDevice } from './lib/device-warnings.ts'
import { createMailer, type Mailer } from './lib/mail.ts'
import { createMetrics, type Metrics } from './lib/metrics.ts'
import { createOutbound, type Outbound } from './lib/outbound.ts'
import { createSealer, type Sealer } from './lib/seal.ts'
import { createNodeMetrics } from './nodes/node-metrics.ts'
import { createNodes, type Nodes } from './nodes/nodes.ts'
import { createServerCertificates, type ServerCertificates } from './tls/server-certificates.ts'

export interface Runtime {
  config: Config
  log: Logger
  /** Logs a warning about one device, limited in rate. */
  warnOfDevice: WarnOfDevice
  metrics: Metrics
  pool: pg.Pool
  db: Kysely<Tables>
  /** Expensive reads, limited for each tenant. */
  queries: Queries
  sealer: Sealer
  /** HTTP requests to addresses that users enter. */
  outbound: Outbound
  mailer: Mailer
  /** This node and the other nodes on the same database. */
  nodes: Nodes
  /** The certificate of the TLS listeners. */
  serverCertificates: ServerCertificates
  /** Directories that this process and its embedded database write to. */
  storageDirectories: string[]
  /** Set at the signal to stop; `/readyz` then says so. */
  shutdown: { isRequested: boolean }
  /** Addresses of this process; filled when it listens. */
  endpoints: Endpoints
}

/** URLs, as in `endpoints.json` of the data directory. */
export interface Endpoints {
  http?: string
  onboarding?: string
  https?: string
  mqtt?: string
  mqtts?: string
}

export type OpenDatabase = Pick<Database, 'pool' | 'db' | 'queryPool' | 'replica'> &
  Partial<Pick<Database, 'embedded' | 'nodeId'>>

/** @param keys secret keys of the installation, the newest first */
export function createRuntime(
  config: Config,
  log: Logger,
  { pool, db, queryPool, replica, embedded, nodeId }: OpenDatabase,
  keys: Buffer[],
): Runtime {
  const metrics = createMetrics()
  const isOnlyNode = embedded !== undefined
  const nodes = createNodes({
    pool,
    db,
    log,
    config,
    isOnlyNode,
    ...(nodeId !== undefined && { id: nodeId }),
  })
  createNodeMetrics(metrics.registry, nodes)
  if (replica) createReplicaMetrics(metrics.registry, replica)
  return {
    config,
    log,
    warnOfDevice: createDeviceWarnings(log),
    metrics,
    pool,
    db,
    queries: createQueries(queryPool, replica),
    sealer: createSealer(keys),
    outbound: createOutbound(config.outboundAllow),
    mailer: createMailer(config, log),
    nodes,
    serverCertificates: createServerCertificates(config, log),
    storageDirectories: [...new Set([config.dataDir, embedded?.directory ?? config.dataDir])],
    shutdown: { isRequested: false },
    endpoints: {},
  }
}
