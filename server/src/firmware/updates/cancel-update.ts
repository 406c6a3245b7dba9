/** Ending an update from outside: what it had set on its client is put back, so that no device starts it later. */
import { type Kysely, sql } from 'kysely'
import type { Actor } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { UpdateLog, UpdateState } from '../../database/tables/firmware.ts'
import { ApiError } from '../../http/errors.ts'
import type { Properties } from '../../providers/twin/merge-patch.ts'
import { addJobsFor } from './advance-updates.ts'
import { logOf } from './logs.ts'
import { changingDesired } from './set-desired.ts'
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
 * @returns whether it was ended: not where it had ended already
 * @throws what asking a provider elsewhere throws
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
  await changingDesired(ctx, actor, clientNumber, async ({ tx, set }) => {
    const update = await findUpdate(tx, id)
    const next = update && nextState(update.state, event)
    if (!update || !next) return
    if (update.state === 'Running') await set(earlier(update.desired_before))
    isEnded = await updateEnded(tx, update, next, logOf(level, message, update.current_step))
    if (isEnded) await addJobsFor(tx, [update.deployment_id], [update.client_number])
  })
  return isEnded
}

const findUpdate = (tx: Kysely<Tables>, id: string): Promise<OpenUpdate | undefined> =>
  tx
    .selectFrom('firmware_updates')
    .select(['id', 'deployment_id', 'client_number', 'state', 'current_step', 'desired_before'])
    .where('id', '=', id)
    .executeTakeFirst()

const earlier = (before: Properties | null): Properties =>
  Object.fromEntries(Object.entries(before ?? {}).map(([name, value]) => [name, value ?? undefined]))

/** The device may have ended it in this moment: then nothing has been put back either. */
async function updateEnded(
  tx: Kysely<Tables>,
  { id, state }: OpenUpdate,
  next: UpdateState,
  log: UpdateLog,
): Promise<boolean> {
  const { rows } = await sql`
    update firmware_updates
    set state = ${next}, step_due = false, logs = logs || ${JSON.stringify([log])}::jsonb, ended_at = now()
    where id = ${id} and state = ${state} returning id`.execute(tx)
  if (rows.length === 0) throw new ApiError('conflict', 'The device ended it in this moment. Look again.')
  return true
}
