import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Runtime } from '../../runtime.ts'
import type { LocatedClient } from '../bindings/located-client.ts'
import { addRetryJob } from './settle-command.ts'
import { refuseFullQueue } from './refuse-full-queue.ts'
import { publishQueued } from './queue.ts'

/**
 * Moves queued commands from one client to another. Between clients of different provider types they stay, because the
 * name of a method was determined for the old type.
 * @returns the number of moved commands @throws conflict if more commands would wait than are allowed
 */
export async function moveQueued(
  ctx: Pick<Runtime, 'nodes'>,
  tx: Kysely<Tables>,
  { from, to }: { from: LocatedClient; to: LocatedClient },
): Promise<number> {
  if (from.provider_type !== to.provider_type) return 0
  const { rows } = await sql<{ id: string }>`
    update asset_commands set client_number = ${to.number}
    where client_number = ${from.number} and status = 'queued'
    returning id`.execute(tx)
  if (rows.length === 0) return 0
  await refuseFullQueue(tx, to)
  if (to.on_broker) await publishQueued(ctx, tx, to)
  else await addRetryJob(tx, to, 0)
  return rows.length
}
