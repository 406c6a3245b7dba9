import type { Context } from '../context.ts'
import type { Tasks } from '../jobs/jobs.ts'
import { sendingTask, type SendOutcome } from '../jobs/receiver.ts'
import { advanceDeployment } from './deployments/advance.ts'
import { ADVANCE_DEPLOYMENT, addAdvanceJob } from './deployments/advance-job.ts'
import { addPollJobs, POLL_PROVIDER, type PolledProvider, pollRemoteUpdates } from './updates/poll-remote.ts'

/** The room's jobs, by task name. */
export const firmwareTasks = (ctx: Context): Tasks => ({
  [ADVANCE_DEPLOYMENT]: sendingTask(async (payload): Promise<SendOutcome> => {
    await advanceDeployment(ctx, (payload as { deploymentId: string }).deploymentId)
    return 'not_asked'
  }),
  'advance-deployments': () => advanceDeployments(ctx),
  'poll-firmware-updates': () => addPollJobs(ctx.db),
  [POLL_PROVIDER]: sendingTask((payload) => pollRemoteUpdates(ctx, payload as PolledProvider)),
})

/** Runs periodically and at start, because no event reports alarms, elapsed timeouts and a server that was killed. */
export async function advanceDeployments({ db }: Pick<Context, 'db'>): Promise<void> {
  const going = await db
    .selectFrom('deployments')
    .select('id')
    .where('ended_at', 'is', null)
    .orderBy('id')
    .execute()
  for (const { id } of going) await addAdvanceJob(db, id)
}
