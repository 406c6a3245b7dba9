import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { LocatedClient } from '../bindings/client-of.ts'
import { addRetryJob } from './due.ts'
import { refuseFull } from './limit-queued.ts'
import { announceQueued } from './queue.ts'

/**
 * Commands that wait for one client wait for another. Between types of provider they stay: what a
 * method is called there was settled when it was asked for.
 * @returns how many there were @throws conflict where more would wait than may
 */
export async function moveQueued(
  tx: Kysely<Tables>,
  from: LocatedClient,
  to: LocatedClient,
): Promise<number> {
  if (from.provider_type !== to.provider_type) return 0
  const { rows } = await sql<{ id: string }>`
    update asset_commands set client_number = ${to.number}
    where client_number = ${from.number} and status = 'queued'
    returning id`.execute(tx)
  if (rows.length === 0) return 0
  await refuseFull(tx, to)
  if (to.on_broker) await announceQueued(tx, to)
  else await addRetryJob(tx, to, 0)
  return rows.length
}
