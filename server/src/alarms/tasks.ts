import type { Context } from '../context.ts'
import type { Tasks } from '../jobs/jobs.ts'
import { CHECK_HOLD } from './statuses/apply-crossings.ts'
import { checkHold } from './watch/holds.ts'
import { checkSilence, type SilenceContext } from './watch/silence.ts'
import type { Watched } from './watch/asset-from-database.ts'

/** The room's jobs, by task name. */
export const alarmTasks = (ctx: Context & SilenceContext): Tasks => ({
  [CHECK_HOLD]: (payload) => checkHold(ctx, payload as Watched),
  'check-alarm-silence': () => checkSilence(ctx),
})
