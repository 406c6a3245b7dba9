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
import { type Activity, createActivity } from './ingest/activity.ts'
import { createPlans, type Plans } from './ingest/projection/plans.ts'
import { createParsers, type Parsers } from './ingest/parsers/parsers.ts'
import { type ConnectionEvents, createConnectionEvents } from './mqtt/connection-events/connection-events.ts'
import { createMethodRelay, type MethodRelay } from './providers/method-relay/method-relay.ts'
import { createLiveSessions, type LiveSessions } from './providers/live-sessions.ts'
import { createPendingMethods, type PendingMethods } from './providers/pending-methods.ts'
import { type Authorities, createAuthorities } from './onboarding/certificates/authorities/authorities.ts'
import { type Attempts, createAttempts } from './onboarding/trace/attempts.ts'
import { createSettingsRecorder, type SettingsRecorder } from './onboarding/settings/record-settings.ts'
import { createPush } from './push/push.ts'
import type { Push } from './push/state.ts'
import { openFileStorage } from './resources/files/open-storage.ts'
import type { FileStorage } from './resources/files/storage.ts'
import { createRuntime, type OpenDatabase, type Runtime } from './runtime.ts'
import type { LakeStorage } from './timeseries/lake/lake-storage.ts'
import { openLake } from './timeseries/lake/open-lake.ts'
import { createPackingMetrics } from './timeseries/storage/packed/packing-lag.ts'
import { createRowTables, type RowTables } from './timeseries/storage/row-tables.ts'
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
  /** Storage for the files of closed days of telemetry; undefined if it is not configured. */
  lake: LakeStorage | undefined
  /** MQTT sessions on this node; the gateway fills it. */
  liveSessions: LiveSessions
  /** Direct methods that wait for the answer of their device. */
  pendingMethods: PendingMethods
  /** Direct methods of devices that are connected to another process. */
  methodRelay: MethodRelay
  /** Records which devices fetched their settings, and with which keys. */
  settingsRecorder: SettingsRecorder
  /** Payload parsers of clients. */
  parsers: Parsers
  /** How the messages of bound clients become samples of assets. */
  plans: Plans
  /** Caches of series and of existing partitions, so that storing a sample needs no look-up. */
  series: SeriesRegistry
  rowTables: RowTables
  /** Records how devices tried to come up. */
  attempts: Attempts
  /** Records when clients connected, and why their connections ended. */
  connectionEvents: ConnectionEvents
  /** Records when clients were last heard. */
  activity: Activity
  /** Evaluates alarms on every sample. */
  alarms: Alarms
  /** Called when bindings change, to update caches of bindings. */
  bindingListeners: ((change: BindingChange) => void)[]
  /** Certificate authorities of the tenants, ready to sign. */
  authorities: Authorities
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
  createPackingMetrics(runtime.metrics.registry, db)
  const series = createSeriesRegistry()
  // Deleting an asset changes its bindings, and its series are gone.
  const forgetSeries = ({ instanceIds }: BindingChange) => forgetAssets(series, instanceIds)
  const bindingListeners = [forgetSeries]
  const plans = createPlans({ bindingListeners })
  const liveSessions = createLiveSessions(nodes.transport.interests)
  const pendingMethods = createPendingMethods()
  const methodRelay = createMethodRelay({ db, nodes, liveSessions, pendingMethods })
  subscribeToBindingChanges({ nodes, bindingListeners })
  subscribeToFailures({ db, nodes, plans })
  const principals = createPrincipals(runtime)
  const push = createPush({ ...runtime, principals })
  const alarms = createAlarms({ ...runtime, bindingListeners, push })
  return {
    ...runtime,
    principals,
    decisions: createDecisions(pool),
    accessTokens: await createAccessTokens(db, sealer),
    oidcTokens: createOidcTokens(runtime),
    files: await openFileStorage(config),
    lake: config.lakeUrl && (await openLake(config.lakeUrl)),
    liveSessions,
    pendingMethods,
    methodRelay,
    settingsRecorder: createSettingsRecorder(runtime),
    parsers: createParsers(),
    plans,
    series,
    rowTables: createRowTables(),
    attempts: createAttempts(runtime),
    connectionEvents: createConnectionEvents(runtime),
    activity: createActivity(runtime),
    alarms,
    bindingListeners,
    authorities: createAuthorities(runtime),
    push,
  }
}
