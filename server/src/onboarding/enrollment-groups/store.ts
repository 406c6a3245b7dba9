import type { Kysely, Selectable } from 'kysely'
import { type Actor, recordAudit } from '../../audit/record.ts'
import type { Tables } from '../../database/tables.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import type { PageRequest } from '../../http/page.ts'
import { newId } from '../../lib/ids.ts'
import { getRoutingTarget } from '../routing-targets/store.ts'
import type { CreateEnrollmentGroup, UpdateEnrollmentGroup } from './schema.ts'

export type EnrollmentGroupRow = Selectable<Tables['enrollment_groups']>

/** The record without its bootstrap keys. */
export const enrollmentGroupShape = (row: EnrollmentGroupRow) => ({
  id: row.id,
  name: row.name,
  auth_method: row.auth_method,
  status: row.status,
  routing_target_id: row.routing_target_id,
  response_template: row.response_template,
  created_at: row.created_at.toISOString(),
})

/**
 * @param lock inside a transaction: `change` before changing it, `use` before putting devices into it, so that it stays
 * @throws not_found
 */
export async function getEnrollmentGroup(
  db: Kysely<Tables>,
  tenantId: string,
  id: string,
  lock?: 'change' | 'use',
): Promise<EnrollmentGroupRow> {
  const row = await db
    .selectFrom('enrollment_groups')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .$if(lock === 'change', (q) => q.forUpdate())
    .$if(lock === 'use', (q) => q.forKeyShare())
    .executeTakeFirst()
  if (!row) throw notFound('enrollment group', id)
  return row
}

export const listEnrollmentGroups = (db: Kysely<Tables>, tenantId: string, { limit, after }: PageRequest) =>
  db
    .selectFrom('enrollment_groups')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .$if(after !== undefined, (q) => q.where('id', '>', after!))
    .orderBy('id')
    .limit(limit + 1)
    .execute()

/** @throws not_found for a routing target that is not there, or another tenant's */
export const insertEnrollmentGroup = (
  db: Kysely<Tables>,
  actor: Actor,
  { response_template, ...fields }: CreateEnrollmentGroup,
): Promise<EnrollmentGroupRow> =>
  db.transaction().execute(async (tx) => {
    await getRoutingTarget(tx, actor.tenantId, fields.routing_target_id, 'use')
    const row = await tx
      .insertInto('enrollment_groups')
      .values({
        ...fields,
        id: newId(),
        tenant_id: actor.tenantId,
        response_template: JSON.stringify(response_template),
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const after = enrollmentGroupShape(row)
    await recordAudit(tx, actor, {
      action: 'create',
      resourceType: 'enrollment_group',
      resourceId: row.id,
      after,
    })
    return row
  })

/** @throws not_found, for the group as for a routing target that it is to point to */
export const updateEnrollmentGroup = (
  db: Kysely<Tables>,
  actor: Actor,
  id: string,
  { response_template, ...fields }: UpdateEnrollmentGroup,
): Promise<EnrollmentGroupRow> =>
  db.transaction().execute(async (tx) => {
    const stored = await getEnrollmentGroup(tx, actor.tenantId, id, 'change')
    if (fields.routing_target_id) await getRoutingTarget(tx, actor.tenantId, fields.routing_target_id, 'use')
    const row = await tx
      .updateTable('enrollment_groups')
      .set({
        // An update has to set something, though the body may be empty.
        name: stored.name,
        ...fields,
        ...(response_template && { response_template: JSON.stringify(response_template) }),
      })
      .where('tenant_id', '=', actor.tenantId)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordAudit(tx, actor, {
      action: 'update',
      resourceType: 'enrollment_group',
      resourceId: row.id,
      before: enrollmentGroupShape(stored),
      after: enrollmentGroupShape(row),
    })
    return row
  })

/** @throws not_found; enrollment_group_not_empty while it has devices. Soft-deleted ones leave with it */
export async function deleteEnrollmentGroup(db: Kysely<Tables>, actor: Actor, id: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const row = await getEnrollmentGroup(tx, actor.tenantId, id, 'change')
    await tx
      .deleteFrom('onboarding_devices')
      .where('tenant_id', '=', actor.tenantId)
      .where('enrollment_group_id', '=', id)
      .where('status', '=', 'deleted')
      .execute()
    const device = await tx
      .selectFrom('onboarding_devices')
      .select('device_id')
      .where('tenant_id', '=', actor.tenantId)
      .where('enrollment_group_id', '=', id)
      .limit(1)
      .executeTakeFirst()
    if (device)
      throw new ApiError(
        'enrollment_group_not_empty',
        `The group still has devices, ${device.device_id} for one. Remove them first.`,
      )
    await tx
      .deleteFrom('enrollment_groups')
      .where('tenant_id', '=', actor.tenantId)
      .where('id', '=', id)
      .execute()
    const before = enrollmentGroupShape(row)
    await recordAudit(tx, actor, {
      action: 'delete',
      resourceType: 'enrollment_group',
      resourceId: row.id,
      before,
    })
  })
}
