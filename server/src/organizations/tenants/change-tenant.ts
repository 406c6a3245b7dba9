import type { Kysely } from 'kysely'
import type { Static } from 'typebox'
import { revokeIssuerSignIns } from '../../access/sign-in/refresh-tokens.ts'
import type { Tables } from '../../database/tables.ts'
import type { TenantRow } from '../../database/tables/organizations.ts'
import { ApiError, validationError } from '../../http/errors.ts'
import { requireSubsetBelow } from '../privileges.ts'
import { getTenantForUpdate } from './delete-tenant.ts'
import type { ChangeTenant } from './schema.ts'

/** @throws not_found; conflict for a tenant that is being deleted, and if an organization has a removed privilege */
export async function changeTenant(
  tx: Kysely<Tables>,
  id: string,
  change: Static<typeof ChangeTenant>,
): Promise<{ before: TenantRow; after: TenantRow }> {
  const before = await getTenantForUpdate(tx, id)
  if (before.deletion_started_at)
    throw new ApiError('conflict', `The tenant ${id} is being deleted and cannot be changed.`)
  if (change.privileges) await requireSubsetBelow(tx, id, null, change.privileges)
  const retention = readRetention(before, change)
  const after = await tx
    .updateTable('tenants')
    .set({
      display_name: change.displayName ?? before.display_name,
      plan: change.plan ?? before.plan,
      privileges: change.privileges ?? before.privileges,
      ...retention,
      ...oidcColumns(change.oidc),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  if (before.oidc_issuer && before.oidc_issuer !== after.oidc_issuer) await revokeIssuerSignIns(tx, id)
  return { before, after }
}

/** @throws validation_error if rollups are not kept for longer than samples */
function readRetention(
  before: TenantRow,
  {
    telemetryRetentionDays: days = before.telemetry_retention_days,
    rollupRetentionDays: rollupDays = before.rollup_retention_days,
  }: Static<typeof ChangeTenant>,
) {
  // Where all samples are kept from now on, there may still be rollups of earlier ones.
  if (days !== null && rollupDays !== null && rollupDays <= days)
    throw validationError({
      path: 'rollupRetentionDays',
      message: `must be more than telemetryRetentionDays, which is ${days}`,
    })
  return { telemetry_retention_days: days, rollup_retention_days: rollupDays }
}

/** Returns the changed columns: an absent field changes nothing, null removes the issuer. */
const oidcColumns = (oidc: Static<typeof ChangeTenant>['oidc']) =>
  oidc === undefined
    ? {}
    : {
        oidc_issuer: oidc?.issuer ?? null,
        oidc_audience: oidc?.audience ?? null,
        oidc_client_id: oidc?.clientId ?? null,
      }
