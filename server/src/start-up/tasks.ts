/** All background jobs of the server, by task name. */
import { alarmTasks } from '../alarms/tasks.ts'
import { commandTasks } from '../assets/commands/tasks.ts'
import { assetPropertyTasks } from '../assets/properties/tasks.ts'
import type { Context } from '../context.ts'
import { firmwareTasks } from '../firmware/tasks.ts'
import { ingestTasks } from '../ingest/tasks.ts'
import type { Tasks } from '../jobs/jobs.ts'
import { storedSessionTasks } from '../mqtt/sessions/stored/expire.ts'
import { notificationTasks } from '../notifications/tasks.ts'
import { certificateTasks } from '../onboarding/certificates/tasks.ts'
import { tenantTasks } from '../organizations/tenants/deletion-job.ts'
import type { Parts } from '../parts.ts'
import { outboxTasks } from '../outbox/deliver.ts'
import type { Queue } from '../outbox/queue.ts'
import { providerTasks } from '../providers/tasks.ts'
import { resourceTasks } from '../resources/files/sweep.ts'
import { simulationTasks } from '../simulations/tasks.ts'
import { deleteTenantFromLake } from '../timeseries/lake/manifest.ts'
import { timeseriesTasks } from '../timeseries/tasks.ts'
import { passwordTasks } from '../users/password/send-reset.ts'
import { housekeepingTasks } from './housekeeping.ts'

export const createTasks = (ctx: Context & Pick<Parts, 'stream'>, queue: Queue): Tasks => ({
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
})
