/** What one process tells the others of alarms, in the transaction that changes them. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { AlarmChange } from './statuses/alarm-change.ts'
import type { AlarmCrossing, SharedAssets } from './watch/evaluate.ts'

/** Its payload is a `Notice`. */
export const ALARMS_CHANGED_CHANNEL = 'gangway_alarms_changed'

export interface Notice {
  nodeId: string
  tenantId: string
  /** On which something is open now, or no more; nothing where alarms themselves were changed. */
  assetIds?: string[]
  /** The changes among them. */
  statusIds?: string[]
  /** Assets of which samples were stored that other processes may have to judge. */
  sampledIds?: string[]
}

/** Of each list; PostgreSQL takes 8,000 a notice. */
const MAX_BYTES = 3600

export const publishAlarmsChanged = (tx: Kysely<Tables>, nodeId: string, tenantId: string): Promise<void> =>
  publishNotices(tx, [{ nodeId, tenantId }])

export async function publishStatusChanges(
  tx: Kysely<Tables>,
  nodeId: string,
  changes: AlarmChange[],
  crossings: AlarmCrossing[] = [],
): Promise<void> {
  const byTenant = new Map<string, { assetIds: Set<string>; statusIds: Set<string> }>()
  const of = (tenantId: string) => {
    const known = byTenant.get(tenantId) ?? { assetIds: new Set(), statusIds: new Set() }
    byTenant.set(tenantId, known)
    return known
  }
  for (const { tenantId, assetId } of crossings) of(tenantId).assetIds.add(assetId)
  for (const { tenantId, status } of changes) {
    of(tenantId).assetIds.add(status.entityId)
    of(tenantId).statusIds.add(status.alarmStatusId)
  }
  const notices = [...byTenant].flatMap(([tenantId, ids]) => {
    const [assets, statuses] = [splitIds(ids.assetIds), splitIds(ids.statusIds)]
    return Array.from({ length: Math.max(assets.length, statuses.length) }, (_, place): Notice => ({
      nodeId,
      tenantId,
      assetIds: assets[place] ?? [],
      statusIds: statuses[place] ?? [],
    }))
  })
  await publishNotices(tx, notices)
}

export async function publishSampledAssets(
  db: Kysely<Tables>,
  nodeId: string,
  sharedAssets: SharedAssets,
): Promise<void> {
  const byTenant = new Map<string, Set<string>>()
  for (const [{ assetId }, tenantId] of sharedAssets)
    byTenant.set(tenantId, (byTenant.get(tenantId) ?? new Set()).add(assetId))
  const notices = [...byTenant].flatMap(([tenantId, ids]) =>
    splitIds(ids).map((sampledIds): Notice => ({ nodeId, tenantId, assetIds: [], sampledIds })),
  )
  await publishNotices(db, notices)
}

/** Ids are ASCII, and need no escapes. */
function splitIds(ids: Set<string>): string[][] {
  const pieces: string[][] = []
  let bytes = MAX_BYTES
  for (const id of ids) {
    bytes += id.length + 3
    if (bytes > MAX_BYTES) {
      pieces.push([])
      bytes = id.length + 3
    }
    pieces.at(-1)!.push(id)
  }
  return pieces
}

async function publishNotices(tx: Kysely<Tables>, notices: Notice[]): Promise<void> {
  if (notices.length === 0) return
  const payloads = notices.map((notice) => JSON.stringify(notice))
  await sql`select pg_notify(${ALARMS_CHANGED_CHANNEL}, payload) from unnest(${payloads}::text[]) payload`.execute(
    tx,
  )
}
