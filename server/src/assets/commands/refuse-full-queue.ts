/**
 * Limits the commands that wait for one device: each can have almost a megabyte, and all are sent when the device
 * connects.
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'
import type { LocatedClient } from '../bindings/located-client.ts'
import { countQueued } from './store.ts'

export const MAX_QUEUED = 100

/**
 * Runs after the insert, in its transaction. The lock makes concurrent requests for the same device wait, so that a
 * burst over several nodes is counted exactly.
 * @throws conflict, which rolls the insert back
 */
export async function refuseFullQueue(
  tx: Kysely<Tables>,
  { id, number }: Pick<LocatedClient, 'id' | 'number'>,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('gangway queued commands'), ${number}::int)`.execute(tx)
  if ((await countQueued(tx, number)) <= MAX_QUEUED) return
  const message = `${MAX_QUEUED} commands wait for ${id} already. Cancel some, or send it when the device is connected.`
  throw new ApiError('conflict', message, { clientId: id, waiting: MAX_QUEUED })
}
