/** Creates the services of the rooms on top of the floor (`runtime.ts`), once at start. */
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
import { createMethodRelay, type MethodRelay } from './providers/method-relay/method-relay.ts'
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
  /** Verifies access tokens of the tenants' own issuers. */
  oidcTokens: OidcTokens
  /** The bytes of uploaded files. */
  files: FileStorage
  /** MQTT sessions on this node; the gateway fills it. */
  liveSessions: LiveSessions
  /** Direct methods that wait for the answer of their device. */
  pendingMethods: PendingMethods
  /** Direct methods of devices that are connected to another process. */
  methodRelay: MethodRelay
  /** Payload parsers of clients. */
  parsers: Parsers
  /** How the messages of bound clients become samples of assets. */
  plans: Plans
  /** Caches of series numbers and of existing partitions, so that storing a sample needs no look-up. */
  series: SeriesRegistry
  partitions: Partitions
  /** Evaluates alarms on every sample. */
  alarms: Alarms
  /** Called when bindings change, to update caches of bindings. */
  bindingListeners: ((change: BindingChange) => void)[]
  /** Publishes committed samples and alarms to real-time subscribers. */
  push: Push
}

/** @param keys secret keys of the installation, the newest first */
export async function createContext(
  config: Config,
  log: Logger,
  database: OpenDatabase,
  keys: Buffer[],
): Promise<Context> {
  const runtime = createRuntime(config, log, database, keys)
  const { db, pool, sealer, nodes } = runtime
  const series = createSeriesRegistry()
  // Deleting an asset changes its bindings, and its series are gone.
  const forgetSeries = ({ instanceIds }: BindingChange) => forgetAssets(series, instanceIds)
  const bindingListeners = [forgetSeries]
  const plans = createPlans({ bindingListeners })
  const liveSessions = createLiveSessions()
  const pendingMethods = createPendingMethods()
  const methodRelay = createMethodRelay({ db, nodes, liveSessions, pendingMethods })
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
    methodRelay,
    parsers: createParsers(),
    plans,
    series,
    partitions: createPartitions(),
    alarms,
    bindingListeners,
    push,
  }
}
