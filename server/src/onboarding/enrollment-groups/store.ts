import type { Kysely } from 'kysely'
import { audited } from '../../audit/audited.ts'
import type { Actor } from '../../audit/record.ts'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import { ApiError, orNotFound } from '../../http/errors.ts'
import type { EnrollmentGroupRow } from '../../database/tables/onboarding.ts'
import type { PageRequest } from '../../http/page.ts'
import { newId } from '../../lib/ids.ts'
import { getRoutingTarget } from '../routing-targets/store.ts'
import type { CreateEnrollmentGroup, UpdateEnrollmentGroup } from './schema.ts'

const resourceType = 'enrollment_group'

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
  return orNotFound(
    await db
      .selectFrom('enrollment_groups')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .$if(lock === 'change', (q) => q.forUpdate())
      .$if(lock === 'use', (q) => q.forKeyShare())
      .executeTakeFirst(),
    'enrollment group',
    id,
  )
}

export const listEnrollmentGroups = (db: Kysely<Tables>, tenantId: string, page: PageRequest) =>
  pageAfter(db.selectFrom('enrollment_groups').selectAll().where('tenant_id', '=', tenantId), 'id', page)

/** @throws not_found for a routing target that is not there, or another tenant's */
export const insertEnrollmentGroup = (
  db: Kysely<Tables>,
  actor: Actor,
  { response_template, ...fields }: CreateEnrollmentGroup,
): Promise<EnrollmentGroupRow> =>
  audited(db, { actor, action: 'create', resourceType }, async (tx) => {
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
    return { after: enrollmentGroupShape(row), result: row }
  })

/** @throws not_found, for the group as for a routing target that it is to point to */
export const updateEnrollmentGroup = (
  db: Kysely<Tables>,
  actor: Actor,
  id: string,
  { response_template, ...fields }: UpdateEnrollmentGroup,
): Promise<EnrollmentGroupRow> =>
  audited(db, { actor, action: 'update', resourceType }, async (tx) => {
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
    return { before: enrollmentGroupShape(stored), after: enrollmentGroupShape(row), result: row }
  })

/** @throws not_found; enrollment_group_not_empty while it has devices. Soft-deleted ones leave with it */
export async function deleteEnrollmentGroup(db: Kysely<Tables>, actor: Actor, id: string): Promise<void> {
  await audited(db, { actor, action: 'delete', resourceType }, async (tx) => {
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
    return { before: enrollmentGroupShape(row) }
  })
}
