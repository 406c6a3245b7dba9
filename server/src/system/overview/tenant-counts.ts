/**
 * Counts of a tenant that are too expensive for each request: they are counted by organization at most every 10 seconds,
 * while somebody asks, and answered from memory.
 */
import { type Kysely, sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import { firstIdAt } from '../../lib/ids.ts'
import { isOnline } from '../../providers/is-online.ts'

const DAY_MS = 86_400_000
const REMEMBERED_TENANTS = 1000
const FRESH_MS = 10_000
/** Counting takes at most this share of the time. */
const COUNTING_SHARE = 1 / 20
/** Older counts are not answered while new ones are made. */
const LONGEST_MS = 60_000

export interface DeviceCounts {
  providerId: string
  organizationId: string
  total: number
  online: number
  silent: number
}

export interface TenantCounts {
  asOf: Date
  /** Silent devices and dead letters are counted from then on. */
  since: Date
  devices: DeviceCounts[]
  deadLetters: { organizationId: string; messages: number; devices: number }[]
  onboarding: { refused: number; failed: number }
  messagesPerSecond: number
}

interface Entry {
  counts: Promise<TenantCounts>
  countedMs: number
  freshUntilMs: number
  isCounting: boolean
}

/** @returns a function that answers counts of at most a minute ago */
export function createTenantCounts(ctx: Pick<Context, 'queries'>) {
  const known = createBoundedCache<string, Entry>(REMEMBERED_TENANTS)
  const start = (tenantId: string): Entry => {
    const startedMs = performance.now()
    const entry: Entry = {
      counts: countTenant(ctx, tenantId),
      countedMs: startedMs,
      freshUntilMs: Infinity,
      isCounting: true,
    }
    const finish = () => {
      entry.isCounting = false
      const endedMs = performance.now()
      entry.freshUntilMs = endedMs + Math.max(FRESH_MS, (endedMs - startedMs) / COUNTING_SHARE)
    }
    entry.counts.then(finish, () => {
      // The next request counts again.
      if (known.get(tenantId) === entry) known.delete(tenantId)
    })
    return entry
  }
  return (tenantId: string): Promise<TenantCounts> => {
    const entry = known.get(tenantId)
    const nowMs = performance.now()
    if (entry && (entry.isCounting || nowMs < entry.freshUntilMs)) return entry.counts
    const next = start(tenantId)
    if (!entry || nowMs - entry.countedMs > LONGEST_MS) {
      known.set(tenantId, next)
      return next.counts
    }
    // Requests of the meantime are answered with the old counts.
    entry.isCounting = true
    next.counts.then(
      () => known.set(tenantId, next),
      () => (entry.isCounting = false),
    )
    return entry.counts
  }
}

async function countTenant({ queries }: Pick<Context, 'queries'>, tenantId: string): Promise<TenantCounts> {
  const asOf = new Date()
  const since = new Date(asOf.getTime() - DAY_MS)
  using open = queries.open(tenantId)
  const { db } = open
  return {
    asOf,
    since,
    devices: await countDevices(db, tenantId, { since }),
    deadLetters: await countDeadLetters(db, tenantId, { since }),
    onboarding: await countAttempts(db, tenantId, since),
    messagesPerSecond: await sumRates(db, tenantId),
  }
}

interface Selection {
  since: Date
  /** Only these clients, outside of these organizations. */
  single?: { ids: string[]; notIn: string[] }
}

const singleClients = ({ single }: Selection) =>
  single
    ? sql`and client.id = any(${single.ids}::text[]) and client.organization_id <> all(${single.notIn}::uuid[])`
    : sql``

export async function countDevices(
  db: Kysely<Tables>,
  tenantId: string,
  selection: Selection,
): Promise<DeviceCounts[]> {
  const { rows } = await sql<DeviceCounts>`
    select client.provider_id as "providerId", client.organization_id as "organizationId", count(*)::int as total,
      count(*) filter (where ${isOnline('connection')})::int as online,
      count(*) filter (where client.enabled and coalesce(activity.last_message_at < ${selection.since}, true))::int as silent
    from provider_clients client
    left join client_connections connection on connection.client_number = client.number
    left join client_activity activity on activity.client_number = client.number
    where client.tenant_id = ${tenantId} ${singleClients(selection)}
    group by 1, 2`.execute(db)
  return rows
}

export async function countDeadLetters(db: Kysely<Tables>, tenantId: string, selection: Selection) {
  const { rows } = await sql<TenantCounts['deadLetters'][number]>`
    select client.organization_id as "organizationId", count(*)::int as messages,
      count(distinct letter.client_number)::int as devices
    from dead_letters letter join provider_clients client on client.number = letter.client_number
    where letter.id >= ${firstIdAt(selection.since.getTime())}::uuid and client.tenant_id = ${tenantId}
      ${singleClients(selection)}
    group by 1`.execute(db)
  return rows
}

async function countAttempts(db: Kysely<Tables>, tenantId: string, since: Date) {
  const count = async (outcome: string) => {
    const { rows } = await sql<{ count: number }>`
      select coalesce(sum(count), 0)::int as count from onboarding_attempts
      where tenant_id = ${tenantId} and outcome = ${outcome} and last_at >= ${since}`.execute(db)
    return rows[0]!.count
  }
  return { refused: await count('refused'), failed: await count('failed') }
}

/** A node that stopped or has nothing to count is left out. */
async function sumRates(db: Kysely<Tables>, tenantId: string): Promise<number> {
  const { rows } = await sql<{ rate: number }>`
    select coalesce(sum(rate.messages / rate.seconds), 0)::float8 as rate
    from ingest_rates rate join tenants on tenants.number = rate.tenant_number
    where tenants.id = ${tenantId} and rate.ended_at > now() - interval '30 seconds'`.execute(db)
  return Math.round(rows[0]!.rate * 100) / 100
}
