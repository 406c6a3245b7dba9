/** Tells how far packing is behind. [docs/operating#packing] */
import { type Kysely, sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import type { Tables } from '../../../database/tables.ts'
import { waitAtMost } from '../../../lib/wait-at-most.ts'
import { dayNumber, dayOfPartition, rowTable, startOfDay } from '../partition-names.ts'
import { SETTLING_MS } from './settling.ts'

/** How long a reading of `/metrics` waits for the database. */
const ANSWER_MS = 1_500

export interface PackingLag {
  /** The oldest closed day with rows in a table of its own, such as 2026-11-21; null without any. */
  oldestDay: string | null
  /** Days since this day was closed, the first one included; 0 without such a day. */
  daysBehind: number
}

export async function readPackingLag(db: Kysely<Tables>, nowMs = Date.now()): Promise<PackingLag> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${rowTable}) and pg_relation_size(c.oid) > 0`.execute(db)
  const days = rows.flatMap(({ name }) => dayOfPartition(name) ?? [])
  const firstOpenDay = dayNumber(nowMs - SETTLING_MS)
  const oldest = Math.min(firstOpenDay, ...days)
  const daysBehind = firstOpenDay - oldest
  return { oldestDay: daysBehind > 0 ? startOfDay(oldest).slice(0, 10) : null, daysBehind }
}

/** Adds the metric of packing, which is the same on each node. */
export function createPackingMetrics(registry: Registry, db: Kysely<Tables>): void {
  let reading: Promise<number> | undefined
  // A reading that hangs is not repeated before it has ended.
  const read = () =>
    (reading ??= readPackingLag(db)
      .then(
        ({ daysBehind }) => daysBehind,
        () => NaN,
      )
      .finally(() => (reading = undefined)))
  const behind = new Gauge({
    name: 'gangway_packing_days_behind',
    help: 'Age in days of the oldest closed day of telemetry that is not packed; NaN while the database does not answer',
    registers: [],
    async collect() {
      this.set((await waitAtMost(ANSWER_MS, read())) ?? NaN)
    },
  })
  registry.registerMetric(behind)
}
