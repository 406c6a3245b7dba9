/** How many commands may wait for one device: each may have almost a megabyte, and all go out when it comes. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'
import type { LocatedClient } from '../bindings/located-client.ts'
import { countQueued } from './store.ts'

const MAX_QUEUED = 100

/**
 * After the insert, in its transaction: until that ends, others that ask for commands of the device wait here, so that
 * a burst is counted, whichever servers it comes to.
 * @throws conflict, which undoes the insert
 */
export async function refuseFullQueue(
  tx: Kysely<Tables>,
  { id, number }: Pick<LocatedClient, 'id' | 'number'>,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('gangway queued commands'), ${number}::int)`.execute(tx)
  if ((await countQueued(tx, number)) <= MAX_QUEUED) return
  const message = `${MAX_QUEUED} commands wait for ${id} already. Cancel some, or send it when the device is there.`
  throw new ApiError('conflict', message, { clientId: id, waiting: MAX_QUEUED })
}
