import type { Context } from '../context.ts'
import type { Tasks } from '../jobs/jobs.ts'
import { sendingTask } from '../jobs/receiver.ts'
import { type Activation, NOTIFY, notifyOfActivation } from './activate.ts'
import { deliver } from './deliveries/deliver.ts'
import { DELIVER } from './deliveries/insert.ts'

export const notificationTasks = (ctx: Context): Tasks => ({
  [NOTIFY]: (payload) => notifyOfActivation(ctx, payload as Activation),
  [DELIVER]: sendingTask((payload) => deliver(ctx, (payload as { deliveryId: string }).deliveryId)),
})
