/** What services and rooms are made from: the parts of the floor, made once at start. Services on top are in `context.ts`. */
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Database } from './database/open.ts'
import { createQueries, type Queries } from './database/queries.ts'
import type { Tables } from './database/tables.ts'
import { createDeviceWarnings, type WarnOfDevice } from './lib/device-warnings.ts'
import { createMailer, type Mailer } from './lib/mail.ts'
import { createMetrics, type Metrics } from './lib/metrics.ts'
import { createOutbound, type Outbound } from './lib/outbound.ts'
import { createSealer, type Sealer } from './lib/seal.ts'
import { createNodes, type Nodes } from './nodes/nodes.ts'

export interface Runtime {
  config: Config
  log: Logger
  /** A line in the log about one device, limited in rate. */
  warnOfDevice: WarnOfDevice
  metrics: Metrics
  pool: pg.Pool
  db: Kysely<Tables>
  /** For reads that may be expensive, bounded for each tenant. */
  queries: Queries
  sealer: Sealer
  /** Calls to addresses that users enter. */
  outbound: Outbound
  mailer: Mailer
  /** This node among the others on the same database. */
  nodes: Nodes
  /** Where this process and its embedded database write. */
  storageDirectories: string[]
  /** Where this process listens; filled once it does. */
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

export type OpenDatabase = Pick<Database, 'pool' | 'db' | 'queryPool'> & { embedded?: Database['embedded'] }

/** @param keys the installation's secret keys, the newest first */
export const createRuntime = (
  config: Config,
  log: Logger,
  database: OpenDatabase,
  keys: Buffer[],
): Runtime => ({
  config,
  log,
  warnOfDevice: createDeviceWarnings(log),
  metrics: createMetrics(),
  pool: database.pool,
  db: database.db,
  queries: createQueries(database.queryPool),
  sealer: createSealer(keys),
  outbound: createOutbound(config.outboundAllow),
  mailer: createMailer(config, log),
  nodes: createNodes({ pool: database.pool, db: database.db, log }),
  storageDirectories: [...new Set([config.dataDir, database.embedded?.directory ?? config.dataDir])],
  endpoints: {},
})
