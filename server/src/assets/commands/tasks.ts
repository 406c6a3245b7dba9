import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import type { Tasks } from '../../jobs/jobs.ts'
import { sendingTask, type SendOutcome } from '../../jobs/receiver.ts'
import { findLocatedClientByNumber } from '../bindings/located-client.ts'
import { RETRY_QUEUED, SETTLE_COMMAND, settleCommand } from './settle-command.ts'
import { runCommand } from './run-command.ts'
import { findCommand, listQueued } from './store.ts'

/** A provider says within this that a device is offline; a method that takes longer is with the device. */
const OFFLINE_KNOWN_MS = 3000

/** The room's jobs, by task name. */
export const commandTasks = (ctx: Context): Tasks => ({
  [SETTLE_COMMAND]: (payload) => settleCommand(ctx.db, (payload as { id: string }).id),
  [RETRY_QUEUED]: sendingTask((payload) =>
    retryQueued(ctx, (payload as { clientNumber: number }).clientNumber),
  ),
})

/**
 * In their order; the first that finds the device offline is enough, and has the job added again. What the provider says
 * is the command's outcome, and nothing for its circuit: each job lasts a few seconds at most.
 */
async function retryQueued(ctx: Context, clientNumber: number): Promise<SendOutcome> {
  const client = await findLocatedClientByNumber(ctx.db, clientNumber)
  if (!client) return 'not_asked'
  for (const command of await listQueued(ctx.db, clientNumber)) {
    const run = await runCommand(ctx, command, client)
    await Promise.race([run?.outcome, sleep(OFFLINE_KNOWN_MS, undefined, { ref: false })])
    if ((await findCommand(ctx.db, command.id))?.status === 'queued') break
  }
  return 'not_asked'
}
