/** Updates the metrics of waiting deliveries. Each node shows the figures of the whole installation. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { Metrics } from '../lib/metrics.ts'
import { receiverKinds } from './receiver.ts'

export type DeliveryMetrics = Pick<Metrics, 'deliveries' | 'deliveriesWaiting' | 'receiversPaused'>

interface ReceiverFigures {
  kind: string
  /** Deliveries that have not ended. */
  waiting: number
  /** Receivers that do not answer. */
  paused: number
}

/** Counts waiting deliveries of the whole installation by kind of receiver. */
export async function countDeliveries(db: Kysely<Tables>): Promise<ReceiverFigures[]> {
  const { rows } = await sql<ReceiverFigures>`
    select kind,
      (select count(*)::int from graphile_worker._private_jobs where flags ? ('kind/' || kind)) as waiting,
      (select count(*)::int from receiver_circuits
       where retry_at is not null and starts_with(receiver, 'receiver/' || kind || '/')) as paused
    from unnest(${receiverKinds}::text[]) as kind`.execute(db)
  return rows
}

export async function measureReceivers(ctx: { db: Kysely<Tables>; metrics: DeliveryMetrics }): Promise<void> {
  for (const { kind, waiting, paused } of await countDeliveries(ctx.db)) {
    ctx.metrics.deliveriesWaiting.set({ kind }, waiting)
    ctx.metrics.receiversPaused.set({ kind }, paused)
  }
}
