import type pg from 'pg'
import { coalesce } from '../../lib/coalesce.ts'

/** A device of an enrollment group. Groups of several tenants may have a device with the same id. */
export interface Enrollment {
  tenantId: string
  groupId: string
  status: 'registered' | 'provisioned'
  /** A timestamp of the database. A device that is deleted and added again has another one. */
  registeredAt: string
  /** Changes whenever the group or its routing target changes. */
  groupVersion: string
}

/** Finds the enrollments of all tenants; the bootstrap key decides between them. */
export type FindEnrollments = (deviceId: string) => Promise<Enrollment[]>

/** A boot storm is thousands of single requests; concurrent requests share one query. */
export const createEnrollmentFinder = (pool: pg.Pool): FindEnrollments =>
  coalesce((deviceIds) => findEnrollments(pool, deviceIds), { maxBatch: 500, concurrency: 4, gathers: true })

interface Row {
  place: number
  tenant_id: string
  group_id: string
  status: 'registered' | 'provisioned'
  registered_at: string
  group_version: string
}

async function findEnrollments(pool: pg.Pool, deviceIds: string[]): Promise<Enrollment[][]> {
  const { rows } = await pool.query<Row>({
    name: 'enrollments-of-devices',
    // xmin is the transaction that wrote the row, so it changes with each update.
    text: `select asked.place::int, d.tenant_id, d.enrollment_group_id as group_id, d.status,
        d.created_at::text as registered_at, g.xmin::text || '.' || t.xmin::text as group_version
      from unnest($1::text[]) with ordinality as asked (device_id, place)
      join onboarding_devices d on d.device_id = asked.device_id and d.status <> 'deleted'
      join enrollment_groups g on g.id = d.enrollment_group_id
      join routing_targets t on t.id = g.routing_target_id`,
    values: [deviceIds],
  })
  const found: Enrollment[][] = deviceIds.map(() => [])
  for (const row of rows) found[row.place - 1]!.push(toEnrollment(row))
  return found
}

const toEnrollment = (row: Row): Enrollment => ({
  tenantId: row.tenant_id,
  groupId: row.group_id,
  status: row.status,
  registeredAt: row.registered_at,
  groupVersion: row.group_version,
})
