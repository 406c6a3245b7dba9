import { type Kysely, sql } from 'kysely'
import { executePrepared, hidden } from '../../../database/execute-prepared.ts'
import type { Tables } from '../../../database/tables.ts'
import { coalesce } from '../../../lib/coalesce.ts'
import type { CertificateSettings } from '../settings/schema.ts'

/** An enrollment group with its certificate settings. */
export interface EnrollingGroup {
  id: string
  tenantId: string
  status: 'enabled' | 'disabled'
  /** Absent if the group was never configured for certificates. */
  settings: CertificateSettings | undefined
  /** Changes whenever the settings change. */
  settingsVersion: string | null
}

/** Finds groups of all tenants: the path or the credentials of a device name them. */
export async function findEnrollingGroups(db: Kysely<Tables>, ids: string[]): Promise<EnrollingGroup[]> {
  const statement = db
    .selectFrom('enrollment_groups as g')
    .leftJoin('certificate_settings as s', 's.enrollment_group_id', 'g.id')
    .select(['g.id', 'g.tenant_id', 'g.status', 's.enabled', 's.minimum_tier', 's.manufacturer_cas'])
    .select(['s.validity_days', 's.renewal_grace_days', sql<string | null>`s.xmin::text`.as('version')])
    .where('g.id', '=', sql<string>`any(${hidden(ids, 'uuid')})`)
  const { rows } = await executePrepared(db, 'enrolling-groups', statement)
  return rows.map(({ id, tenant_id: tenantId, status, enabled, version, ...rest }) => ({
    id,
    tenantId,
    status,
    settingsVersion: version,
    settings: enabled === null ? undefined : ({ enabled, ...rest } as CertificateSettings),
  }))
}

export type FindEnrollingGroup = (id: string) => Promise<EnrollingGroup | undefined>

/** Devices that enrol at the same time are mostly of the same few groups, and share one query. */
export const createGroupFinder = (db: Kysely<Tables>): FindEnrollingGroup =>
  coalesce(
    async (ids) => {
      const groups = await findEnrollingGroups(db, [...new Set(ids)])
      const byId = new Map(groups.map((group) => [group.id, group]))
      return ids.map((id) => byId.get(id))
    },
    { maxBatch: 500, concurrency: 2, gathers: true },
  )

/** @returns those of the groups that have the device, and not as a deleted one */
export async function listGroupsOfDevice(
  db: Kysely<Tables>,
  deviceId: string,
  groupIds: string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('onboarding_devices')
    .select('enrollment_group_id')
    .where('device_id', '=', deviceId)
    .where('enrollment_group_id', '=', sql<string>`any(${groupIds}::uuid[])`)
    .where('status', '<>', 'deleted')
    .execute()
  return rows.map((row) => row.enrollment_group_id)
}
