/** Starts the parts of the server in order; they stop in reverse order. */
import { readConfig } from './config.ts'
import { configuredTiles, consoleRoutes } from './console/routes.ts'
import { type Context, createContext } from './context.ts'
import { openDatabase } from './database/open.ts'
import { advanceDeployments } from './firmware/tasks.ts'
import { createGuards } from './guards.ts'
import type { Route } from './http/route.ts'
import { startHttp } from './http/start.ts'
import { migrateJobs, startJobs } from './jobs/jobs.ts'
import { createLog } from './lib/log.ts'
import { usesNats, waitForNats } from './lib/nats.ts'
import { warnOfLeftBatches } from './ingest/stream/left-batches.ts'
import { openIngestStream, usesStream } from './ingest/stream/ingest-stream.ts'
import { acceptWebSockets } from './mqtt/listeners/web-socket/web-sockets.ts'
import { startMqtt } from './mqtt/start.ts'
import { joinNodes } from './nodes/nodes.ts'
import { ensureFirstTenant } from './organizations/first-start.ts'
import { openQueue } from './outbox/queue.ts'
import { createParts, gatewayNeeds, type Parts } from './parts.ts'
import { startPush } from './push/start.ts'
import { apiRoutes } from './routes.ts'
import { announce } from './start-up/announce.ts'
import { watchClock } from './start-up/clock-watch.ts'
import { resetFutureTimes } from './start-up/future-times.ts'
import { crontab } from './start-up/housekeeping.ts'
import { drain } from './start-up/drain.ts'
import { explainFailedStart } from './start-up/explain-failed-start.ts'
import { stopSignal } from './start-up/stop-signal.ts'
import { createTasks } from './start-up/tasks.ts'
import { createDiskWatch } from './system/disk-watch.ts'
import { probeRoutes } from './system/probe-routes.ts'
import { startLake } from './timeseries/lake/start-lake.ts'

async function main() {
  const config = readConfig(process.env)
  const log = await createLog(config.logLevel)
  const stop = stopSignal(log, config)
  await using database = await openDatabase({ ...config, log, abort: stop.abort })
  const ctx = await createContext(config, log, database, database.keys)
  await using _files = ctx.files
  await using _lake = ctx.lake
  await using _attempts = ctx.attempts
  await using _activity = ctx.activity
  await using _connectionEvents = ctx.connectionEvents
  await using _settingsRecorder = ctx.settingsRecorder
  const administrator = await ensureFirstTenant(ctx.db, config)
  const { abort } = stop
  if (usesNats(config)) await waitForNats(config, { log, abort })
  await using stream = usesStream(config) ? await openIngestStream({ ...ctx, config }, { abort }) : undefined
  if (!stream && usesNats(config)) await warnOfLeftBatches(ctx, config, { abort })
  const parts: Parts = { ...createParts(ctx), stream }
  const isGateway = config.roles.has('gateway')
  const isWorker = config.roles.has('worker')
  await using queue = isWorker ? await openQueue(ctx, { abort }) : undefined
  await using mqtt = isGateway ? await startMqtt(ctx, gatewayNeeds(parts), { abort }) : undefined
  await using _joined = isGateway ? undefined : await joinNodes(ctx.nodes, abort)
  await using _consumer = config.roles.has('ingest') ? await stream?.consume() : undefined
  await using _disk = createDiskWatch(ctx)
  await migrateJobs(ctx.pool, log)
  await resetFutureTimes(ctx.pool, log)
  // Before the jobs, which send links with the address of this server.
  await using http = await startHttp(ctx, nodeRoutes(ctx, parts), createGuards(ctx))
  // Before HTTP stops, which waits for their connections.
  await using _webSockets = mqtt && acceptWebSockets(mqtt.gateway, http.upgrades)
  await using _secureWebSockets = mqtt && acceptWebSockets(mqtt.gateway, http.secureUpgrades)
  await using jobs =
    queue && (await startJobs({ ...ctx, tasks: createTasks({ ...ctx, stream }, queue), crontab }))
  await using _lakeWriter = isWorker ? startLake(ctx) : undefined
  await using _clock = watchClock(ctx, jobs)
  if (isWorker) await advanceDeployments(ctx)
  await using _push = await startPush(ctx, config.roles.has('api') ? http.upgrades : undefined)
  // Devices connect to other nodes while requests and jobs that are under way here end. The devices of the only node stay
  // until then, since they answer some of these requests.
  await using _devices = mqtt && {
    [Symbol.asyncDispose]: async () => {
      if (ctx.nodes.peers.exist) await mqtt.handOver()
    },
  }
  // After the gateway, which the simulated devices of this node use if it has one.
  await using _simulations = isWorker ? await parts.simulations.start() : undefined
  await announce(ctx, administrator)
  log.info({ signal: await stop.requested }, 'stopping')
  await drain(ctx, mqtt)
}

/** Nodes without the API serve what operators and load balancers ask each node. */
const nodeRoutes = (ctx: Context, parts: Parts): Route[] =>
  ctx.config.roles.has('api')
    ? [...apiRoutes(ctx, parts), ...consoleRoutes({ tiles: configuredTiles(ctx.config) })]
    : probeRoutes({ ...ctx, ...parts })

/** @returns once the server has stopped; a failed start ends the process */
export const run = (): Promise<void> => main().catch(explainFailedStart)
