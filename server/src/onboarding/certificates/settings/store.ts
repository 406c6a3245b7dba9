import type { Kysely, Selectable } from 'kysely'
import { audited } from '../../../audit/audited.ts'
import type { Actor } from '../../../audit/record.ts'
import type { Tables } from '../../../database/tables.ts'
import type { CertificateTables } from '../../../database/tables/certificates.ts'
import { validationError } from '../../../http/errors.ts'
import { getEnrollmentGroup } from '../../enrollment-groups/store.ts'
import type { CertificateSettings } from './schema.ts'

type SettingsRow = Selectable<CertificateTables['certificate_settings']>

/** The settings of a group that was never configured. */
const defaults: CertificateSettings = {
  enabled: false,
  minimum_tier: 1,
  manufacturer_cas: [],
  validity_days: 365,
  renewal_grace_days: 0,
}

const toSettings = (row: SettingsRow | undefined): CertificateSettings =>
  row
    ? {
        enabled: row.enabled,
        minimum_tier: row.minimum_tier,
        manufacturer_cas: row.manufacturer_cas,
        validity_days: row.validity_days,
        renewal_grace_days: row.renewal_grace_days,
      }
    : defaults

const findRow = (db: Kysely<Tables>, tenantId: string, groupId: string) =>
  db
    .selectFrom('certificate_settings')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('enrollment_group_id', '=', groupId)
    .executeTakeFirst()

/** @throws not_found for the group */
export async function getCertificateSettings(
  db: Kysely<Tables>,
  tenantId: string,
  groupId: string,
): Promise<CertificateSettings> {
  const group = await getEnrollmentGroup(db, tenantId, groupId)
  return toSettings(await findRow(db, tenantId, group.id))
}

/** @param fields absent ones keep their values @throws not_found for the group, validation_error */
export const updateCertificateSettings = (
  db: Kysely<Tables>,
  actor: Actor,
  groupId: string,
  fields: Partial<CertificateSettings>,
): Promise<CertificateSettings> =>
  audited(db, { actor, action: 'update-certificates', resourceType: 'enrollment_group' }, async (tx) => {
    const group = await getEnrollmentGroup(tx, actor.tenantId, groupId, 'change')
    const before = toSettings(await findRow(tx, actor.tenantId, group.id))
    const after = { ...before, ...fields }
    requireReachableTier(after)
    const row = { ...after, enrollment_group_id: group.id, tenant_id: actor.tenantId }
    await tx
      .insertInto('certificate_settings')
      .values(row)
      .onConflict((conflict) => conflict.column('enrollment_group_id').doUpdateSet(after))
      .execute()
    return { resourceId: group.id, before, after, result: after }
  })

function requireReachableTier({ enabled, minimum_tier: tier, manufacturer_cas: cas }: CertificateSettings) {
  if (enabled && tier === 3 && cas.length === 0)
    throw validationError({
      path: 'manufacturer_cas',
      message: 'is empty, so no device could reach minimum_tier 3. Add the CA of the manufacturer',
    })
}
