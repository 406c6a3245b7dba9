import type { Context } from '../../context.ts'
import type { Tasks } from '../../jobs/jobs.ts'
import { sendingTask } from '../../jobs/receiver.ts'
import { DELIVER_DESIRED, deliverDesired } from './deliver.ts'

/** The jobs of this room by task name. */
export const assetPropertyTasks = (ctx: Context): Tasks => ({
  [DELIVER_DESIRED]: sendingTask((payload) =>
    deliverDesired(ctx, payload as { clientNumber: number; componentId: string }),
  ),
})
