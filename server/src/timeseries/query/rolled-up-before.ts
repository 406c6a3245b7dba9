import { type Kysely, sql } from 'kysely'
import { executePrepared } from '../../database/execute-prepared.ts'
import type { Tables } from '../../database/tables.ts'
import { firstKeptDay } from '../storage/expired-spans.ts'
import { DAY_MS } from '../storage/partition-names.ts'

/**
 * @returns the time before which samples of a tenant may be deleted, with rollups in their place, in milliseconds since 1970;
 * undefined if the tenant keeps no rollups
 */
export async function findRolledUpBefore(
  db: Kysely<Tables>,
  tenantNumber: number,
  nowMs = Date.now(),
): Promise<number | undefined> {
  const statement = sql<{ days: number; rolled_up: Date | null }>`
    select telemetry_retention_days as days, rolled_up_before as rolled_up from tenants
    where number = ${tenantNumber}::int and rollup_retention_days is not null`
  const [tenant] = (await executePrepared(db, 'rollup-retention', statement)).rows
  if (!tenant) return undefined
  // After a longer retention was set, rollups reach further than it.
  return Math.max(firstKeptDay(tenant.days, nowMs) * DAY_MS, tenant.rolled_up?.getTime() ?? -Infinity)
}
