/** Starts the parts of the server in order; they stop in reverse order. */
import { commandTasks } from './assets/commands/tasks.ts'
import { assetPropertyTasks } from './assets/properties/tasks.ts'
import { alarmTasks } from './alarms/tasks.ts'
import { readConfig } from './config.ts'
import { consoleRoutes } from './console/routes.ts'
import { createContext } from './context.ts'
import { openDatabase } from './database/open.ts'
import { advanceDeployments, firmwareTasks } from './firmware/tasks.ts'
import { createGuards } from './guards.ts'
import { startHttp } from './http/start.ts'
import { ingestTasks } from './ingest/tasks.ts'
import { migrateJobs, startJobs } from './jobs/jobs.ts'
import { createLog } from './lib/log.ts'
import { acceptWebSockets } from './mqtt/listeners/web-socket/web-sockets.ts'
import { storedSessionTasks } from './mqtt/sessions/stored/expire.ts'
import { startMqtt } from './mqtt/start.ts'
import { notificationTasks } from './notifications/tasks.ts'
import { ensureFirstTenant } from './organizations/first-start.ts'
import { tenantTasks } from './organizations/tenants/deletion-job.ts'
import { outboxTasks } from './outbox/deliver.ts'
import { openQueue } from './outbox/queue.ts'
import { certificateTasks } from './onboarding/certificates/tasks.ts'
import { createParts } from './parts.ts'
import { startPush } from './push/start.ts'
import { providerTasks } from './providers/tasks.ts'
import { resourceTasks } from './resources/files/sweep.ts'
import { apiRoutes } from './routes.ts'
import { simulationTasks } from './simulations/tasks.ts'
import { announce } from './start-up/announce.ts'
import { watchClock } from './start-up/clock-watch.ts'
import { resetFutureTimes } from './start-up/future-times.ts'
import { crontab, housekeepingTasks } from './start-up/housekeeping.ts'
import { explainFailedStart } from './start-up/explain-failed-start.ts'
import { stopSignal } from './start-up/stop-signal.ts'
import { createDiskWatch } from './system/disk-watch.ts'
import { deleteTenantFromLake } from './timeseries/lake/manifest.ts'
import { startLake } from './timeseries/lake/start-lake.ts'
import { timeseriesTasks } from './timeseries/tasks.ts'
import { passwordTasks } from './users/password/send-reset.ts'

async function main() {
  const config = readConfig(process.env)
  const log = await createLog(config.logLevel)
  const stop = stopSignal(log)
  await using database = await openDatabase({ ...config, log, abort: stop.abort })
  const ctx = await createContext(config, log, database, database.keys)
  await using _files = ctx.files
  await using _lake = ctx.lake
  await using _attempts = ctx.attempts
  await using _activity = ctx.activity
  await using _connectionEvents = ctx.connectionEvents
  await using _settingsRecorder = ctx.settingsRecorder
  const parts = createParts(ctx)
  const administrator = await ensureFirstTenant(ctx.db, config)
  await using queue = await openQueue(config.natsUrl, log, { abort: stop.abort })
  await using mqtt = await startMqtt(ctx, parts)
  const tasks = {
    ...outboxTasks(ctx, queue),
    ...providerTasks(ctx),
    ...commandTasks(ctx),
    ...assetPropertyTasks(ctx),
    ...passwordTasks(ctx),
    ...resourceTasks(ctx),
    ...ingestTasks(ctx),
    ...timeseriesTasks(ctx),
    ...notificationTasks(ctx),
    ...alarmTasks(ctx),
    ...firmwareTasks(ctx),
    ...simulationTasks(ctx),
    ...certificateTasks(ctx),
    ...tenantTasks(ctx, (tenantId) => deleteTenantFromLake(ctx.lake, tenantId)),
    ...storedSessionTasks(ctx),
    ...housekeepingTasks(ctx),
  }
  await using _disk = createDiskWatch(ctx)
  await migrateJobs(ctx.pool, log)
  await resetFutureTimes(ctx.pool, log)
  // Before the jobs, which send links with the address of this server.
  await using http = await startHttp(ctx, [...apiRoutes(ctx, parts), ...consoleRoutes()], createGuards(ctx))
  // Before HTTP stops, which waits for their connections.
  await using _webSockets = acceptWebSockets(ctx, mqtt.gateway, http.upgrades)
  await using _secureWebSockets = acceptWebSockets(ctx, mqtt.gateway, http.secureUpgrades)
  await using jobs = await startJobs({ ...ctx, tasks, crontab })
  await using _lakeWriter = startLake(ctx)
  await using _clock = watchClock(ctx, jobs)
  await advanceDeployments(ctx)
  await using _push = await startPush(ctx, http.upgrades)
  await using _simulations = await parts.simulations.start()
  await announce(ctx, administrator)
  log.info({ signal: await stop.requested }, 'stopping')
}

/** @returns once the server has stopped; a failed start ends the process */
export const run = (): Promise<void> => main().catch(explainFailedStart)
