/**
 * Caches the usage of a tenant, which takes long to measure for many devices and years of history. Concurrent requests
 * share one measurement, and later ones get its result while repeating it would exceed the share of time below.
 */
import type { Context } from '../../context.ts'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import { readUsage } from './read-usage.ts'
import type { DayUsage } from './usage.ts'

const REMEMBERED_TENANTS = 100
/** Maximum share of time spent on measuring. */
const MEASURING_SHARE = 1 / 20

export interface MeasuredUsage {
  measuredMs: number
  retentionDays: number | null
  rollupRetentionDays: number | null
  days: DayUsage[]
}

interface Entry {
  usage: Promise<MeasuredUsage>
  freshUntilMs: number
}

type GetUsage = (tenantId: string) => Promise<MeasuredUsage>

export function createRecentUsage(ctx: Pick<Context, 'queries'>): GetUsage {
  const known = createBoundedCache<string, Entry>(REMEMBERED_TENANTS)
  return (tenantId) => {
    const startedMs = performance.now()
    const present = known.get(tenantId)
    if (present && startedMs < present.freshUntilMs) return present.usage
    const entry: Entry = { usage: measureUsage(ctx, tenantId), freshUntilMs: Infinity }
    known.set(tenantId, entry)
    const finish = () => {
      const endedMs = performance.now()
      entry.freshUntilMs = endedMs + (endedMs - startedMs) / MEASURING_SHARE
    }
    // After a failure the next request measures again.
    entry.usage.then(finish, () => (entry.freshUntilMs = -Infinity))
    return entry.usage
  }
}

async function measureUsage({ queries }: Pick<Context, 'queries'>, tenantId: string): Promise<MeasuredUsage> {
  const measuredMs = Date.now()
  using query = queries.open(tenantId)
  const tenant = await query.db
    .selectFrom('tenants')
    .select(['number', 'telemetry_retention_days', 'rollup_retention_days'])
    .where('id', '=', tenantId)
    .executeTakeFirstOrThrow()
  const days = await readUsage(query.db, tenant.number)
  return {
    measuredMs,
    retentionDays: tenant.telemetry_retention_days,
    rollupRetentionDays: tenant.rollup_retention_days,
    days,
  }
}
