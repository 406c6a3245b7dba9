import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import { audited } from '../../audit/audited.ts'
import type { Actor } from '../../audit/record.ts'
import { pageAfter } from '../../database/page.ts'
import { contains } from '../../database/search.ts'
import type { Tables } from '../../database/tables.ts'
import { ApiError, orNotFound } from '../../http/errors.ts'
import type { EnrollmentGroupRow } from '../../database/tables/onboarding.ts'
import type { PageRequest } from '../../http/page.ts'
import { newId } from '../../lib/ids.ts'
import { requireReadyForDerivedOnly } from '../bootstrap-keys/require-ready.ts'
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
  key_policy: row.key_policy,
  offline_settings: row.offline_settings,
  offline_settings_max_age_seconds: row.offline_settings_max_age_seconds,
  response_template: row.response_template,
  created_at: row.created_at.toISOString(),
})

/**
 * @param lock in a transaction: `change` before changing the group, `use` before adding devices, so that it is not deleted
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

export const listEnrollmentGroups = (
  db: Kysely<Tables>,
  tenantId: string,
  { search, page }: { search?: string; page: PageRequest },
) =>
  pageAfter(
    db
      .selectFrom('enrollment_groups')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where(contains(search, ['name'])),
    'id',
    page,
  )

/** @throws not_found for a routing target that does not exist or belongs to another tenant */
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

interface GroupChange {
  id: string
  fields: UpdateEnrollmentGroup
  /** Refuses the policy `derived_only` while a device could no longer sign in after it. */
  ifReady?: boolean
}

/** @throws not_found for the group or its new routing target; conflict; devices_not_ready */
export const updateEnrollmentGroup = (
  db: Kysely<Tables>,
  actor: Actor,
  {
    id,
    fields: { response_template, expected_response_template: expected, ...fields },
    ifReady,
  }: GroupChange,
): Promise<EnrollmentGroupRow> =>
  audited(db, { actor, action: 'update', resourceType }, async (tx) => {
    const stored = await getEnrollmentGroup(tx, actor.tenantId, id, 'change')
    if (expected !== undefined) requireTemplate(stored, expected)
    if (fields.routing_target_id) await getRoutingTarget(tx, actor.tenantId, fields.routing_target_id, 'use')
    if (ifReady && fields.key_policy === 'derived_only' && stored.key_policy === 'any')
      await requireReadyForDerivedOnly(tx, stored)
    const row = await tx
      .updateTable('enrollment_groups')
      .set({
        // The statement needs at least one column, even if the body is empty.
        name: stored.name,
        ...fields,
        ...(response_template && { response_template: JSON.stringify(response_template) }),
      })
      .where('tenant_id', '=', actor.tenantId)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (!row.offline_settings) await deleteStoredCredentials(tx, actor.tenantId, id)
    return { before: enrollmentGroupShape(stored), after: enrollmentGroupShape(row), result: row }
  })

/** Prevents one editor from overwriting what another has saved since. [docs/onboarding#response-templates] */
function requireTemplate({ response_template }: EnrollmentGroupRow, expected: Record<string, unknown>) {
  if (isDeepStrictEqual(response_template, expected)) return
  throw new ApiError(
    'conflict',
    'The template was changed since it was read. Read the group again and repeat the change.',
  )
}

const deleteStoredCredentials = (tx: Kysely<Tables>, tenantId: string, groupId: string) =>
  tx
    .deleteFrom('onboarding_credentials')
    .where('tenant_id', '=', tenantId)
    .where('enrollment_group_id', '=', groupId)
    .execute()

/** Also deletes the group's soft-deleted devices. @throws not_found; enrollment_group_not_empty while it has other devices */
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
        `The group still has devices, for example ${device.device_id}. Remove them first.`,
      )
    await tx
      .deleteFrom('enrollment_groups')
      .where('tenant_id', '=', actor.tenantId)
      .where('id', '=', id)
      .execute()
    return { before: enrollmentGroupShape(row) }
  })
}
