/** Reads and writes the reported side of twins, for many clients at once. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { Properties } from '../providers/twin/merge-patch.ts'

export interface ReportedTwin {
  clientNumber: number
  reported: Properties
  version: number
  reportedAt: Date
  /** Ids of the last stored messages, oldest first. */
  messageIds: string[]
}

/**
 * Reads and locks twins until the transaction ends, in the same order everywhere to avoid a deadlock. A twin is created
 * with its first change.
 * @returns twins by client number; a deleted client has none
 */
export async function listReportedForUpdate(
  tx: Kysely<Tables>,
  clientNumbers: number[],
): Promise<Map<number, ReportedTwin>> {
  await sql`
    insert into client_twins (client_number)
    select number from provider_clients where number = any(${clientNumbers}::int[]) order by number
    on conflict do nothing`.execute(tx)
  const { rows } = await sql<{
    number: number
    reported: Properties
    version: string
    reported_at: Date
    ids: string[]
  }>`
    select client_number as number, reported, reported_version as version, reported_at, reported_message_ids as ids
    from client_twins where client_number = any(${clientNumbers}::int[])
    order by client_number for update`.execute(tx)
  return new Map(
    rows.map(({ number, reported, version, reported_at, ids }) => [
      number,
      { clientNumber: number, reported, version: Number(version), reportedAt: reported_at, messageIds: ids },
    ]),
  )
}

export async function updateReported(tx: Kysely<Tables>, twins: ReportedTwin[]): Promise<void> {
  if (twins.length === 0) return
  await sql`
    update client_twins as twin
    set reported = new.reported, reported_version = new.version, reported_at = new.reported_at,
      reported_message_ids = string_to_array(new.message_ids, ',')::bigint[]
    from unnest(
      ${twins.map((twin) => twin.clientNumber)}::int[],
      ${twins.map((twin) => JSON.stringify(twin.reported))}::jsonb[],
      ${twins.map((twin) => twin.version)}::bigint[],
      ${twins.map((twin) => twin.reportedAt)}::timestamptz[],
      ${twins.map((twin) => twin.messageIds.join(','))}::text[]
    ) as new (client_number, reported, version, reported_at, message_ids)
    where twin.client_number = new.client_number`.execute(tx)
}
