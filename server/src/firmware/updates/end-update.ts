/** Ends an update and restores the desired properties that it has set, so that the device does not start it later. */
import { type Kysely, sql } from 'kysely'
import type { Actor } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { UpdateLog, UpdateState } from '../../database/tables/firmware.ts'
import { ApiError } from '../../http/errors.ts'
import type { Properties } from '../../providers/twin/merge-patch.ts'
import { addJobsForClients } from './advance-updates.ts'
import { makeLog } from './logs.ts'
import { runDesiredChange } from './set-desired.ts'
import { nextState, type UpdateEvent } from './states.ts'

interface OpenUpdate {
  id: string
  deployment_id: string
  client_number: number
  state: UpdateState
  current_step: number
  desired_before: Properties | null
}

/**
 * @returns false if the update had ended already
 * @throws errors of a remote provider
 */
export async function endUpdate(
  ctx: Context,
  actor: Actor,
  {
    update: { id, client_number: clientNumber },
    event,
    log: { level, message },
  }: {
    update: Pick<OpenUpdate, 'id' | 'client_number'>
    event: UpdateEvent
    log: Pick<UpdateLog, 'level' | 'message'>
  },
): Promise<boolean> {
  let isEnded = false
  await runDesiredChange(ctx, actor, clientNumber, async ({ tx, set }) => {
    const update = await findUpdate(tx, id)
    const next = update && nextState(update.state, event)
    if (!update || !next) return
    if (update.state === 'Running') await set(restoreValues(update.desired_before))
    isEnded = await storeEnd(tx, update, next, makeLog(level, message, update.current_step))
    if (isEnded) await addJobsForClients(tx, [update.deployment_id], [update.client_number])
  })
  return isEnded
}

const findUpdate = (tx: Kysely<Tables>, id: string): Promise<OpenUpdate | undefined> =>
  tx
    .selectFrom('firmware_updates')
    .select(['id', 'deployment_id', 'client_number', 'state', 'current_step', 'desired_before'])
    .where('id', '=', id)
    .executeTakeFirst()

const restoreValues = (before: Properties | null): Properties =>
  Object.fromEntries(Object.entries(before ?? {}).map(([name, value]) => [name, value ?? undefined]))

/** @throws conflict if the device has just ended the update; the rollback of the transaction then undoes the restoration */
async function storeEnd(
  tx: Kysely<Tables>,
  { id, state }: OpenUpdate,
  next: UpdateState,
  log: UpdateLog,
): Promise<boolean> {
  const { rows } = await sql`
    update firmware_updates
    set state = ${next}, step_due = false, logs = logs || ${JSON.stringify([log])}::jsonb, ended_at = now()
    where id = ${id} and state = ${state} returning id`.execute(tx)
  if (rows.length === 0)
    throw new ApiError('conflict', 'The device has just ended the update. Read its status again.')
  return true
}
