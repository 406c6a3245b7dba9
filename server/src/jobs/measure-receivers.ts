/** Updates the metrics of waiting deliveries. Each node shows the figures of the whole installation. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { Metrics } from '../lib/metrics.ts'
import { receiverKinds } from './receiver.ts'

export type DeliveryMetrics = Pick<Metrics, 'deliveries' | 'deliveriesWaiting' | 'receiversPaused'>

interface Figures {
  kind: string
  waiting: number
  paused: number
}

export async function measureReceivers(ctx: { db: Kysely<Tables>; metrics: DeliveryMetrics }): Promise<void> {
  const { rows } = await sql<Figures>`
    select kind,
      (select count(*)::int from graphile_worker._private_jobs where flags ? ('kind/' || kind)) as waiting,
      (select count(*)::int from receiver_circuits
       where retry_at is not null and starts_with(receiver, 'receiver/' || kind || '/')) as paused
    from unnest(${receiverKinds}::text[]) as kind`.execute(ctx.db)
  for (const { kind, waiting, paused } of rows) {
    ctx.metrics.deliveriesWaiting.set({ kind }, waiting)
    ctx.metrics.receiversPaused.set({ kind }, paused)
  }
}
