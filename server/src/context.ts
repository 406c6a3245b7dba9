/** The only wiring. Everything a room needs beyond its arguments is here, made once at start. */
import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import { type AccessTokens, createAccessTokens } from './access/sign-in/access-tokens.ts'
import { createOidcTokens, type OidcTokens } from './access/oidc/verify.ts'
import { createDecisions, type Decisions } from './access/decisions/decisions.ts'
import { createPrincipals, type Principals } from './access/sign-in/principals.ts'
import type { Alarms } from './alarms/alarms.ts'
import { createAlarms } from './alarms/create-alarms.ts'
import type { Config } from './config.ts'
import { type BindingChange, listenForBindings } from './assets/bindings/binding-changes.ts'
import { type CommandQueue, createCommandQueue } from './assets/commands/queue.ts'
import type { Listeners } from './database/listen.ts'
import type { Database } from './database/open.ts'
import { createPeers, type Peers } from './database/peers.ts'
import { createQueries, type Queries } from './database/queries.ts'
import type { Tables } from './database/tables.ts'
import { createDeviceWarnings, type WarnOfDevice } from './lib/device-warnings.ts'
import { createMailer, type Mailer } from './lib/mail.ts'
import { createIngest, type Ingest } from './ingest/ingest.ts'
import { listenForFailures } from './ingest/projection/failures.ts'
import { createPlans, type Plans } from './ingest/projection/plans.ts'
import { createParsers, type Parsers } from './ingest/parsers/parsers.ts'
import { createMetrics, type Metrics } from './lib/metrics.ts'
import { createOutbound, type Outbound } from './lib/outbound.ts'
import { createSealer, type Sealer } from './lib/seal.ts'
import { createPush, type Push } from './push/push.ts'
import { createHandovers, type Handovers } from './providers/handovers/handovers.ts'
import { createPendingMethods, type PendingMethods } from './providers/pending-methods.ts'
import { openFileStorage } from './resources/files/open-storage.ts'
import type { FileStorage } from './resources/files/storage.ts'
import { createPartitions, type Partitions } from './timeseries/storage/ensure-partitions.ts'
import {
  createSeriesRegistry,
  forgetAssets,
  type SeriesRegistry,
} from './timeseries/storage/series-registry.ts'
import { createSimulations, type Simulations } from './simulations/simulations.ts'
import { createLiveSessions, type LiveSessions } from './providers/live-sessions.ts'

export interface Context {
  config: Config
  /** Names this process among several on one database. */
  nodeId: string
  log: Logger
  /** A line in the log about one device, limited in rate. */
  warnOfDevice: WarnOfDevice
  metrics: Metrics
  pool: pg.Pool
  db: Kysely<Tables>
  /** For reads that may be expensive, bounded for each tenant. */
  queries: Queries
  sealer: Sealer
  principals: Principals
  decisions: Decisions
  accessTokens: AccessTokens
  /** Access tokens of tenants' own issuers. */
  oidcTokens: OidcTokens
  /** Calls to addresses that somebody typed in. */
  outbound: Outbound
  mailer: Mailer
  /** Where this process and its embedded database write. */
  storageDirectories: string[]
  /** The bytes of uploaded files. */
  files: FileStorage
  /** MQTT sessions of this process; the gateway fills it. */
  liveSessions: LiveSessions
  /** Direct methods that wait for their device's answer. */
  pendingMethods: PendingMethods
  /** Direct methods of devices that are connected to another process. */
  handovers: Handovers
  /** Payload formats, by what a client says of its own. */
  parsers: Parsers
  /** How the messages of bound clients become samples of assets. */
  plans: Plans
  /** The one way in, whoever brings a message: so that all of them share its commits. */
  ingest: Ingest
  /** Numbers of series, and the partitions that are known to exist: so that a sample on its way in asks for neither. */
  series: SeriesRegistry
  partitions: Partitions
  /** Who wants to hear what other processes say; complete before the gateway starts. */
  listeners: Listeners
  /** Other processes on the same database. */
  peers: Peers
  /** What the walk asks of every sample: does it matter. */
  alarms: Alarms
  /** Who keeps bindings in memory, and has to hear of their changes. */
  bindingListeners: ((change: BindingChange) => void)[]
  /** Commands that wait for devices of the broker. */
  commandQueue: CommandQueue
  /** Tells who watches live what was committed. */
  push: Push
  /** Simulated devices of this process. */
  simulations: Simulations
  /** Where this process really listens; filled once it does. */
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

/** @param keys the installation's secret keys, the newest first */
export async function createContext(
  config: Config,
  log: Logger,
  database: Pick<Database, 'pool' | 'db' | 'queryPool'> & { embedded?: Database['embedded'] },
  keys: Buffer[],
): Promise<Context> {
  const sealer = createSealer(keys)
  const outbound = createOutbound(config.outboundAllow)
  const nodeId = randomUUID()
  const heard = { listeners: new Map(), bindingListeners: [] }
  const parts: Omit<Context, 'ingest' | 'alarms' | 'handovers' | 'commandQueue' | 'push' | 'simulations'> = {
    ...heard,
    config,
    nodeId,
    peers: createPeers({ ...heard, nodeId, pool: database.pool }),
    log,
    warnOfDevice: createDeviceWarnings(log),
    metrics: createMetrics(),
    pool: database.pool,
    db: database.db,
    queries: createQueries(database.queryPool),
    sealer,
    principals: createPrincipals(database.pool),
    decisions: createDecisions(database.pool),
    accessTokens: await createAccessTokens(database.db, sealer),
    oidcTokens: createOidcTokens({ db: database.db, log, outbound }),
    outbound,
    mailer: createMailer(config, log),
    storageDirectories: [...new Set([config.dataDir, database.embedded?.directory ?? config.dataDir])],
    files: await openFileStorage(config),
    liveSessions: createLiveSessions(),
    pendingMethods: createPendingMethods(),
    parsers: createParsers(),
    series: createSeriesRegistry(),
    partitions: createPartitions(),
    plans: createPlans(heard),
    endpoints: {},
  }
  // The parts that work with all the others.
  const ctx = parts as Context
  ctx.push = createPush(ctx)
  ctx.alarms = createAlarms(ctx)
  ctx.ingest = createIngest(ctx)
  ctx.handovers = createHandovers(ctx)
  listenForBindings(ctx)
  listenForFailures(ctx)
  // A deleted asset is among those whose bindings change, and its series are gone.
  ctx.bindingListeners.push(({ instanceIds }) => forgetAssets(ctx.series, instanceIds))
  ctx.commandQueue = createCommandQueue(ctx)
  ctx.simulations = createSimulations(ctx)
  return ctx
}
