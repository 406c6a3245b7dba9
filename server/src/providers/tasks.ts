import type { Context } from '../context.ts'
import type { Tasks } from '../jobs/jobs.ts'
import { sendingTask } from '../jobs/receiver.ts'
import { DELIVER_PROVIDER_EVENT, deliverProviderEvent, type Delivery } from './webhooks/deliver.ts'

/** The room's jobs, by task name. */
export const providerTasks = (ctx: Context): Tasks => ({
  [DELIVER_PROVIDER_EVENT]: sendingTask((payload) => deliverProviderEvent(ctx, payload as Delivery)),
})
