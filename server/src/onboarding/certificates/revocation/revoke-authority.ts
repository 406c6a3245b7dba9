/**
 * Revokes an issuing authority. Its certificates no longer connect as soon as this is committed; a job marks each of them
 * afterwards, in steps, so that they are on the revocation list and webhooks are notified.
 */
import { type Kysely, sql } from 'kysely'
import { recordAudit } from '../../../audit/record.ts'
import type { Context } from '../../../context.ts'
import type { Tables } from '../../../database/tables.ts'
import type { AuthorityRow, RevocationReason } from '../../../database/tables/certificates.ts'
import type { Caller } from '../../../http/access.ts'
import { ApiError, orNotFound } from '../../../http/errors.ts'
import { addJob } from '../../../jobs/add-job.ts'
import { actorName } from '../../../providers/clients/actor-name.ts'
import { authorityShape } from '../authorities/schema.ts'
import { lockAuthorities } from '../authorities/store.ts'
import { certificateChanges } from './certificate-changes.ts'
import { announceRevoked, markListsOutdated } from './revoke-certificates.ts'

export const REVOKE_CERTIFICATES = 'revoke-certificates-of-authority'
const AT_ONCE = 500

/** @throws not_found, conflict for a root or an authority that is revoked already */
export const revokeAuthority = (
  ctx: Context,
  caller: Caller,
  { id, reason }: { id: string; reason: RevocationReason },
): Promise<AuthorityRow> =>
  ctx.db.transaction().execute(async (tx) => {
    await lockAuthorities(tx, caller.tenantId)
    const before = await getAuthority(tx, caller.tenantId, id)
    refuseUnlessIssuing(before)
    const after = await tx
      .updateTable('certificate_authorities')
      .set({ status: 'revoked', revoked_at: sql<Date>`now()`, revocation_reason: reason })
      .where('tenant_id', '=', caller.tenantId)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await markListsOutdated(tx, caller.tenantId, await listIssuerIds(tx, before))
    const [shapeBefore, shapeAfter] = [authorityShape(before), authorityShape(after)]
    await recordAudit(tx, caller, {
      action: 'revoke',
      resourceType: 'certificate_authority',
      resourceId: id,
      before: shapeBefore,
      after: shapeAfter,
    })
    const message = `The authority that issued the certificate was revoked by ${await actorName(tx, caller)}.`
    await certificateChanges.publish(ctx, tx, { authorityId: id, message })
    await addJob(tx, REVOKE_CERTIFICATES, { tenantId: caller.tenantId, authorityId: id, reason })
    return after
  })

const getAuthority = async (tx: Kysely<Tables>, tenantId: string, id: string): Promise<AuthorityRow> =>
  orNotFound(
    await tx
      .selectFrom('certificate_authorities')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst(),
    'certificate authority',
    id,
  )

function refuseUnlessIssuing({ kind, status }: AuthorityRow): void {
  if (kind === 'root')
    throw new ApiError('conflict', 'A root cannot be revoked. Revoke the issuing authorities below it.')
  if (status === 'revoked') throw new ApiError('conflict', 'The authority is revoked already.')
}

/** The authority above it, if it is one of the tenant's: its list names the revoked authority. */
async function listIssuerIds(tx: Kysely<Tables>, { tenant_id, chain }: AuthorityRow): Promise<string[]> {
  const rows = await tx
    .selectFrom('certificate_authorities')
    .select('id')
    .where('tenant_id', '=', tenant_id)
    .where('certificate', '=', sql<Buffer>`any(${chain}::bytea[])`)
    .execute()
  return rows.map((row) => row.id)
}

export interface RevokeCertificatesPayload {
  tenantId: string
  authorityId: string
  reason: RevocationReason
}

/** Continues where an interrupted run ended. */
export async function revokeCertificatesOfAuthority(
  { db }: Pick<Context, 'db'>,
  { tenantId, authorityId, reason }: RevokeCertificatesPayload,
): Promise<void> {
  const actor = { tenantId, system: `revocation of authority ${authorityId}` }
  // The key of the authority is known to others, and those of its devices are not.
  const ownReason: RevocationReason = reason === 'key_compromise' ? 'ca_compromise' : reason
  for (let found = AT_ONCE; found > 0;)
    found = await db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ id: string }>`
        update device_certificates set revoked_at = now(), revocation_reason = ${ownReason}
        where id in (
          select id from device_certificates
          where tenant_id = ${tenantId} and authority_id = ${authorityId} and revoked_at is null
          order by id limit ${AT_ONCE} for no key update)
        returning id`.execute(tx)
      if (rows.length === 0) return 0
      await announceRevoked(
        tx,
        actor,
        rows.map((row) => row.id),
      )
      await markListsOutdated(tx, tenantId, [authorityId])
      return rows.length
    })
}
