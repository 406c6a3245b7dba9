/** The only wiring: the parts of the floor (`runtime.ts`), and the services of the rooms on top, made once at start. */
import type { Logger } from 'pino'
import { type AccessTokens, createAccessTokens } from './access/sign-in/access-tokens.ts'
import { createOidcTokens, type OidcTokens } from './access/oidc/verify.ts'
import { createDecisions, type Decisions } from './access/decisions/decisions.ts'
import { createPrincipals, type Principals } from './access/sign-in/principals.ts'
import type { Alarms } from './alarms/alarms.ts'
import { createAlarms } from './alarms/create-alarms.ts'
import { type BindingChange, subscribeToBindingChanges } from './assets/bindings/binding-changes.ts'
import type { Config } from './config.ts'
import { subscribeToFailures } from './ingest/projection/failures.ts'
import { createPlans, type Plans } from './ingest/projection/plans.ts'
import { createParsers, type Parsers } from './ingest/parsers/parsers.ts'

import { createHandovers, type Handovers } from './providers/handovers/handovers.ts'
import { createLiveSessions, type LiveSessions } from './providers/live-sessions.ts'
import { createPendingMethods, type PendingMethods } from './providers/pending-methods.ts'
import { createPush } from './push/push.ts'
import type { Push } from './push/state.ts'
import { openFileStorage } from './resources/files/open-storage.ts'
import type { FileStorage } from './resources/files/storage.ts'
import { createRuntime, type OpenDatabase, type Runtime } from './runtime.ts'
import { createPartitions, type Partitions } from './timeseries/storage/ensure-partitions.ts'
import {
  createSeriesRegistry,
  forgetAssets,
  type SeriesRegistry,
} from './timeseries/storage/series-registry.ts'

export interface Context extends Runtime {
  principals: Principals
  decisions: Decisions
  accessTokens: AccessTokens
  /** Access tokens of tenants' own issuers. */
  oidcTokens: OidcTokens
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
  /** Numbers of series, and the partitions that are known to exist: so that a sample on its way in asks for neither. */
  series: SeriesRegistry
  partitions: Partitions
  /** What the walk asks of every sample: does it matter. */
  alarms: Alarms
  /** Who keeps bindings in memory, and has to hear of their changes. */
  bindingListeners: ((change: BindingChange) => void)[]
  /** Tells who watches live what was committed. */
  push: Push
}

/** @param keys the installation's secret keys, the newest first */
export async function createContext(
  config: Config,
  log: Logger,
  database: OpenDatabase,
  keys: Buffer[],
): Promise<Context> {
  const runtime = createRuntime(config, log, database, keys)
  const { db, pool, sealer, nodes } = runtime
  const series = createSeriesRegistry()
  // A deleted asset is among those whose bindings change, and its series are gone.
  const forgetSeries = ({ instanceIds }: BindingChange) => forgetAssets(series, instanceIds)
  const bindingListeners = [forgetSeries]
  const plans = createPlans({ bindingListeners })
  const liveSessions = createLiveSessions()
  const pendingMethods = createPendingMethods()
  const handovers = createHandovers({ db, nodes, liveSessions, pendingMethods })
  subscribeToBindingChanges({ nodes, bindingListeners })
  subscribeToFailures({ db, nodes, plans })
  const principals = createPrincipals(pool)
  const push = createPush({ ...runtime, principals })
  const alarms = createAlarms({ ...runtime, bindingListeners, push })
  return {
    ...runtime,
    principals,
    decisions: createDecisions(pool),
    accessTokens: await createAccessTokens(db, sealer),
    oidcTokens: createOidcTokens(runtime),
    files: await openFileStorage(config),
    liveSessions,
    pendingMethods,
    handovers,
    parsers: createParsers(),
    plans,
    series,
    partitions: createPartitions(),
    alarms,
    bindingListeners,
    push,
  }
}
