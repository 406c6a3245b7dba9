import type { Context } from '../context.ts'
import type { Tasks } from '../jobs/jobs.ts'
import { deleteExpiredDeadLetters } from './dead-letters/store.ts'

export const ingestTasks = (ctx: Context): Tasks => ({
  'delete-expired-dead-letters': () => deleteExpiredDeadLetters(ctx.db),
})
