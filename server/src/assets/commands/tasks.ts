import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import type { Tasks } from '../../jobs/jobs.ts'
import { sendingTask, type SendOutcome } from '../../jobs/receiver.ts'
import { findLocatedClientByNumber } from '../bindings/located-client.ts'
import { RETRY_QUEUED, SETTLE_COMMAND, settleCommand } from './settle-command.ts'
import { runCommand } from './run-command.ts'
import { findCommand, listQueued } from './store.ts'

/** A provider reports an offline device within this time; a method that takes longer has reached the device. */
const OFFLINE_KNOWN_MS = 3000

/** The jobs of this room by task name. */
export const commandTasks = (ctx: Context): Tasks => ({
  [SETTLE_COMMAND]: (payload) => settleCommand(ctx.db, (payload as { id: string }).id),
  [RETRY_QUEUED]: sendingTask((payload) =>
    retryQueued(ctx, (payload as { clientNumber: number }).clientNumber),
  ),
})

/**
 * Sends the queued commands in order and stops at the first that finds the device offline; that command's outcome adds
 * the job again. The provider's responses are outcomes of commands and do not count for its circuit breaker: each job
 * lasts a few seconds at most.
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
