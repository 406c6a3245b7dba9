/** Counts alarms, devices, refusals, rollouts and storage that the caller may view. [docs/console#overview] */
import { sql } from 'kysely'
import { ENVIRONMENT_ID } from '../../access/relations/store.ts'
import {
  findCallerReach,
  requirePermission,
  requirePrivilegeInRoot,
  requireWithinToken,
} from '../../access/require.ts'
import { visibleTo } from '../../access/decisions/visible-to.ts'
import type { Reach } from '../../access/decisions/reach.ts'
import type { ResourceType } from '../../access/schema.ts'
import { findVisibleStatuses } from '../../alarms/statuses/visible-statuses.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import { formatTimestamp } from '../../http/shapes.ts'
import type { IngestStream } from '../../ingest/stream/ingest-stream.ts'
import type { Parts } from '../../parts.ts'
import type { Overview } from './schema.ts'
import { countDeadLetters, countDevices, type TenantCounts } from './tenant-counts.ts'

const MAX_ROLLOUTS = 100

export async function readOverview(
  ctx: Context & Pick<Parts, 'stream'>,
  caller: Caller,
  getCounts: (tenantId: string) => Promise<TenantCounts>,
): Promise<Overview> {
  const [counts, reach, alarms, rollouts, mayOnboard, ownsEnvironment] = await Promise.all([
    getCounts(caller.tenantId),
    ifWithinToken(caller, 'provider_client', () => findCallerReach(ctx, caller, 'provider_client')),
    ifWithinToken(caller, 'alarm', () => countAlarms(ctx, caller)),
    ifWithinToken(caller, 'firmware', () => listRollouts(ctx, caller)),
    isPermitted(requirePrivilegeInRoot(ctx, caller, 'provider_client_management')),
    isPermitted(requirePermission(ctx, caller, 'manage', { type: 'environment', id: ENVIRONMENT_ID })),
  ])
  return {
    asOf: counts.asOf.toISOString(),
    alarms,
    ...(await sumVisible(ctx, reach, counts)),
    onboarding: mayOnboard ? { ...counts.onboarding, since: counts.since.toISOString() } : null,
    rollouts,
    ingest: reach?.everything ? { messagesPerSecond: counts.messagesPerSecond } : null,
    stream: ownsEnvironment && ctx.stream ? await readStream(ctx.stream) : null,
    storage: ownsEnvironment ? await readStorage(ctx) : null,
  }
}

async function readStream(stream: IngestStream): Promise<Overview['stream']> {
  const { partitions, asOf: _, ...status } = await stream.readStatus()
  return {
    ...status,
    partitions: partitions.map(({ oldestAt, ...partition }) => ({
      ...partition,
      oldestAt: formatTimestamp(oldestAt),
    })),
  }
}

const isForbidden = (error: unknown) => error instanceof ApiError && error.code === 'forbidden'

async function isPermitted(check: Promise<void>): Promise<boolean> {
  try {
    await check
    return true
  } catch (error) {
    if (isForbidden(error)) return false
    throw error
  }
}

/** @returns null for a token that is limited to other privileges */
async function ifWithinToken<T>(
  caller: Caller,
  type: ResourceType,
  read: () => Promise<T>,
): Promise<T | null> {
  return (await isPermitted(requireWithinToken(caller, type))) ? read() : null
}

/** Adds up the organizations of the caller; objects that are shared one by one are counted now. */
async function sumVisible(
  { db }: Context,
  reach: Reach | null,
  counts: TenantCounts,
): Promise<Pick<Overview, 'devices' | 'deadLetters'>> {
  if (!reach) return { devices: null, deadLetters: null }
  const { everything, organizationIds, ids, tenantId } = reach
  const isSeen = (row: { organizationId: string }) =>
    everything || organizationIds.includes(row.organizationId)
  const single = { since: counts.since, single: { ids, notIn: organizationIds } }
  const hasSingle = !everything && ids.length > 0
  const devices = [
    ...counts.devices.filter(isSeen),
    ...(hasSingle ? await countDevices(db, tenantId, single) : []),
  ]
  const letters = [
    ...counts.deadLetters.filter(isSeen),
    ...(hasSingle ? await countDeadLetters(db, tenantId, single) : []),
  ]
  const providerIds = [...new Set(devices.map(({ providerId }) => providerId))].toSorted()
  return {
    devices: {
      ...addDevices(devices),
      silentSince: counts.since.toISOString(),
      providers: providerIds.map((providerId) => ({
        providerId,
        ...addDevices(devices.filter((row) => row.providerId === providerId)),
      })),
    },
    deadLetters: {
      messages: sum(letters.map((row) => row.messages)),
      devices: sum(letters.map((row) => row.devices)),
      since: counts.since.toISOString(),
    },
  }
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

function addDevices(rows: TenantCounts['devices']) {
  const total = sum(rows.map((row) => row.total))
  const online = sum(rows.map((row) => row.online))
  return { total, online, offline: total - online, silent: sum(rows.map((row) => row.silent)) }
}

async function countAlarms(ctx: Context, caller: Caller): Promise<Overview['alarms']> {
  const visible = await findVisibleStatuses(ctx, caller)
  const { rows } = await sql<{ severity: number; open: number; unacknowledged: number }>`
    select s.severity, count(*)::int as open,
      count(*) filter (where s.state <> 'active_acknowledged')::int as unacknowledged
    from alarm_statuses s
    where s.tenant_id = ${caller.tenantId} and s.state <> 'cleared' and ${sql.join(visible, sql` and `)}
    group by s.severity order by s.severity desc`.execute(ctx.db)
  return {
    open: sum(rows.map((row) => row.open)),
    unacknowledged: sum(rows.map((row) => row.unacknowledged)),
    bySeverity: rows.map(({ severity, open }) => ({ severity, open })),
  }
}

async function listRollouts(ctx: Context, caller: Caller): Promise<Overview['rollouts']> {
  const reach = await findCallerReach(ctx, caller, 'firmware')
  const visible = visibleTo(reach, { id: 'd.id', organization: 'd.organization_id' })
  const { rows } = await sql<{ id: string; displayName: string; status: string; failed: number }>`
    select d.id, d.display_name as "displayName", d.status, (
        select count(*)::int from firmware_updates u
        where u.deployment_id = d.id and u.kind = 'update' and u.state in ('Failed', 'Rejected')
      ) as failed
    from deployments d
    where d.tenant_id = ${caller.tenantId} and d.started_at is not null and d.ended_at is null and ${visible}
    order by d.id desc limit ${MAX_ROLLOUTS}`.execute(ctx.db)
  const withFailures = rows.filter(({ failed }) => failed > 0).length
  return { running: rows.length, withFailures, items: rows }
}

/** The disk watch measures every 10 seconds. */
export async function readStorage({ metrics }: Pick<Context, 'metrics'>): Promise<Overview['storage']> {
  const [free, hours] = await Promise.all([metrics.diskFreeBytes.get(), metrics.diskHoursLeft.get()])
  if (free.values.length === 0) return null
  const hoursLeft = Math.min(...hours.values.map(({ value }) => value))
  return {
    freeBytes: Math.min(...free.values.map(({ value }) => value)),
    daysLeft: Number.isFinite(hoursLeft) ? Math.round(hoursLeft / 2.4) / 10 : null,
  }
}
