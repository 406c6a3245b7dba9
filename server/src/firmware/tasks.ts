import type { Context } from '../context.ts'
import type { Tasks } from '../jobs/jobs.ts'
import { advanceDeployment } from './deployments/advance.ts'
import { ADVANCE_DEPLOYMENT, addAdvanceJob } from './deployments/advance-job.ts'
import { pollRemoteUpdates } from './updates/poll-remote.ts'

/** The room's jobs, by task name. */
export const firmwareTasks = (ctx: Context): Tasks => ({
  [ADVANCE_DEPLOYMENT]: (payload) =>
    advanceDeployment(ctx, (payload as { deploymentId: string }).deploymentId),
  'advance-deployments': () => advanceDeployments(ctx),
  'poll-firmware-updates': () => pollRemoteUpdates(ctx),
})

/** By the clock and at start: alarms, time limits and a server that was killed are nobody's event. */
export async function advanceDeployments({ db }: Pick<Context, 'db'>): Promise<void> {
  const going = await db
    .selectFrom('deployments')
    .select('id')
    .where('ended_at', 'is', null)
    .orderBy('id')
    .execute()
  for (const { id } of going) await addAdvanceJob(db, id)
}
