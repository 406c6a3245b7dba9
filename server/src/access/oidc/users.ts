/** Users that an OIDC issuer vouches for. */
import type { Kysely } from 'kysely'
import { recordAudit } from '../../audit/record.ts'
import type { Tables } from '../../database/tables.ts'
import { newId } from '../../lib/ids.ts'
import { insertUserRelations } from '../../users/store.ts'

export interface OidcIdentity {
  tenantId: string
  issuer: string
  subject: string
}

/** What a token or the issuer's userinfo says; nothing of it is sure to be there. */
export interface Profile {
  email?: unknown
  email_verified?: unknown
  name?: unknown
  preferred_username?: unknown
}

export async function findOidcUser(db: Kysely<Tables>, { tenantId, issuer, subject }: OidcIdentity) {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('oidc_issuer', '=', issuer)
    .where('oidc_subject', '=', subject)
    .executeTakeFirst()
  return row?.id
}

/**
 * Creates the user, or joins them with the one of the same tenant whose email the issuer has verified. Two first requests
 * at once make one user.
 *
 * @throws where the email belongs to somebody else
 */
export async function insertOidcUser(
  db: Kysely<Tables>,
  identity: OidcIdentity,
  profile: Profile,
): Promise<string> {
  const { tenantId, issuer, subject } = identity
  const email = typeof profile.email === 'string' ? profile.email : null
  return db.transaction().execute(async (tx) => {
    const made = await tx
      .insertInto('users')
      .values({
        id: newId(),
        tenant_id: tenantId,
        display_name: firstText(profile.name, profile.preferred_username, email, subject),
        email,
        oidc_issuer: issuer,
        oidc_subject: subject,
      })
      .onConflict((oc) => oc.doNothing())
      .returning('id')
      .executeTakeFirst()
    const id = made?.id ?? (await findOidcUser(tx, identity)) ?? (await joinByEmail(tx, identity, profile))
    if (!id) throw new Error('the email belongs to another user')
    if (made) {
      await insertUserRelations(tx, tenantId, id)
      const after = { id, email, issuer }
      const actor = { tenantId, system: 'oidc' }
      await recordAudit(tx, actor, { action: 'create', resourceType: 'user', resourceId: id, after })
    }
    return id
  })
}

/** Only by an email that the issuer has verified, and only to a user without another issuer. */
async function joinByEmail(
  tx: Kysely<Tables>,
  identity: OidcIdentity,
  { email, email_verified: verified }: Profile,
) {
  if (verified !== true) return undefined
  const row = await tx
    .updateTable('users')
    .set({ oidc_issuer: identity.issuer, oidc_subject: identity.subject })
    .where('tenant_id', '=', identity.tenantId)
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', String(email).toLowerCase()))
    .where('oidc_subject', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

const firstText = (...candidates: unknown[]) =>
  candidates.find((text): text is string => typeof text === 'string' && text.trim() !== '')!.slice(0, 256)
