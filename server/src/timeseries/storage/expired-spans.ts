/** Finds which samples are older than the retention of their tenant. [docs/telemetry#retention] */
import type pg from 'pg'
import { DAY_MS, dayNumber } from './partition-names.ts'

export interface ExpiredSpan {
  tenantNumber: number
  /** The start of the first day (UTC) that is kept. Milliseconds since 1970. */
  beforeMs: number
}

interface TenantRow {
  number: number
  days: number
}

/**
 * Lists the tenants that have a retention.
 * @param keepRollups whether to list those that keep rollups of the samples, or the others
 */
export async function listExpiredSpans(
  pool: pg.Pool,
  { keepRollups, nowMs }: { keepRollups: boolean; nowMs: number },
): Promise<ExpiredSpan[]> {
  const { rows: tenants } = await pool.query<TenantRow>(
    `select number, telemetry_retention_days as days from tenants
     where telemetry_retention_days is not null and (rollup_retention_days is not null) = $1`,
    [keepRollups],
  )
  return tenants.map(({ number, days }) => ({
    tenantNumber: number,
    beforeMs: firstKeptDay(days, nowMs) * DAY_MS,
  }))
}

/** @returns days since 1970, UTC */
export const firstKeptDay = (days: number, nowMs: number): number => dayNumber(nowMs - days * DAY_MS)
