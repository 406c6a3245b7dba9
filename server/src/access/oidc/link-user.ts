/** Links an OIDC identity to an existing user who owns an email that the issuer has verified. */
import type { Kysely } from 'kysely'
import { recordAudit } from '../../audit/record.ts'
import type { Tables } from '../../database/tables.ts'
import { deleteReset } from '../../users/password/reset-store.ts'
import { deleteApiTokensOfUser } from '../api-tokens/store.ts'
import { deleteRelationsOfOtherUsers } from '../relations/store.ts'
import { revokeSignIns } from '../sign-in/refresh-tokens.ts'
import type { OidcIdentity } from './identity.ts'

/**
 * @param email verified by the issuer
 * @returns the user's id; undefined if no user of the tenant owns the email or that user is linked already
 */
export async function linkOidcUser(
  tx: Kysely<Tables>,
  { tenantId, issuer, subject }: OidcIdentity,
  email: string,
): Promise<string | undefined> {
  const user = await tx
    .updateTable('users')
    .set({ oidc_issuer: issuer, oidc_subject: subject })
    .where('tenant_id', '=', tenantId)
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', email.toLowerCase()))
    .where('owns_email', '=', true)
    .where('oidc_subject', 'is', null)
    .returning(['id', 'made_by_other'])
    .executeTakeFirst()
  if (!user) return undefined
  if (user.made_by_other) await revokeCreatorAccess(tx, tenantId, user.id)
  await recordAudit(
    tx,
    { tenantId, system: 'oidc' },
    { action: 'join-oidc', resourceType: 'user', resourceId: user.id, after: { id: user.id, email, issuer } },
  )
  return user.id
}

/**
 * Revokes all access that the creator of the user may still have, including what the creator granted to others: the
 * creator chose the first password and may have claimed the email before its owner did.
 */
async function revokeCreatorAccess(tx: Kysely<Tables>, tenantId: string, userId: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({ password_hash: null })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', userId)
    .execute()
  await deleteReset(tx, userId)
  await revokeSignIns(tx, userId)
  await deleteApiTokensOfUser(tx, { tenantId, system: 'oidc' }, userId)
  await deleteRelationsOfOtherUsers(tx, tenantId, userId)
}
