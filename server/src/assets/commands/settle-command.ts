/** Ends commands whose time is over: those that waited too long and those whose response can no longer arrive. */
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { addJob } from '../../jobs/add-job.ts'
import { providerReceiver } from '../../providers/kinds/provider-receiver.ts'
import type { LocatedClient } from '../bindings/located-client.ts'
import type { CommandRow } from '../../database/tables/commands.ts'
import { findCommand, updateCommand } from './store.ts'

export const SETTLE_COMMAND = 'settle-command'
export const RETRY_QUEUED = 'retry-queued-commands'
/** The interval between retries at a remote provider whose device is offline. */
export const RETRY_MS = 10_000
/** Time for the provider and for storing the response, in addition to the device's own timeout. */
const GRACE_SECONDS = 60

/** Each command has at most one settle job, whose time changes with the command's state. */
export const addSettleJob = (tx: Kysely<Tables>, id: string, runAt: Date): Promise<void> =>
  addJob(tx, SETTLE_COMMAND, { id }, { key: `${SETTLE_COMMAND}:${id}`, runAt })

/**
 * Each client of a remote provider has at most one retry job, since these providers do not report when a device
 * connects.
 */
export const addRetryJob = (tx: Kysely<Tables>, client: LocatedClient, afterMs: number): Promise<void> =>
  addJob(
    tx,
    RETRY_QUEUED,
    { clientNumber: client.number },
    {
      key: `${RETRY_QUEUED}:${client.number}`,
      runAt: new Date(Date.now() + afterMs),
      receiver: providerReceiver(client, 'commands'),
    },
  )

/** The time after which the response of a running command can no longer arrive. */
export const settleTime = ({ started_at, timeout_seconds }: CommandRow): Date =>
  new Date(started_at!.getTime() + (timeout_seconds + GRACE_SECONDS) * 1000)

/** Ends a command that is due. An ended command is left alone; for one that is not due yet the job is added again. */
export async function settleCommand(db: Kysely<Tables>, id: string): Promise<void> {
  const command = await findCommand(db, id)
  const dueAt = command && findDueTime(command)
  if (!dueAt) return
  if (dueAt > (await databaseTime(db))) await addSettleJob(db, id, dueAt)
  else if (command.status === 'running')
    await updateCommand(db, id, 'unanswered', {
      status_message: 'The server that sent it stopped before an answer came. The device may have done it.',
    })
  else if (command.expires_after_seconds > 0)
    await updateCommand(db, id, 'expired', { status_message: expiredMessage(command) })
  else
    await updateCommand(db, id, 'offline', {
      status_message: 'device_offline: It could not be sent in time.',
    })
}

/** @returns undefined for a command that has ended */
function findDueTime(command: CommandRow): Date | undefined {
  if (command.status === 'queued') return command.expires_at
  return command.status === 'running' ? settleTime(command) : undefined
}

const expiredMessage = ({ expires_after_seconds: seconds }: CommandRow) =>
  `The device was offline for ${seconds} seconds.`

async function databaseTime(db: Kysely<Tables>): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now()`.execute(db)
  return rows[0]!.now
}
