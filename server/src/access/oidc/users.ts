/** Users that an OIDC issuer has authenticated. */
import type { Kysely } from 'kysely'
import { Value } from 'typebox/value'
import { recordAudit } from '../../audit/record.ts'
import type { Tables } from '../../database/tables.ts'
import { newId } from '../../lib/ids.ts'
import { Email } from '../../users/schema.ts'
import { insertUserRelations } from '../../users/store.ts'
import type { OidcIdentity } from './identity.ts'
import { linkOidcUser } from './link-user.ts'

/** The claims of a token or of the issuer's userinfo, none of which is guaranteed. */
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
 * Links the identity to the user of the tenant who owns the verified email, or else creates a user. Two concurrent first
 * requests create one user.
 */
export const insertOidcUser = (
  db: Kysely<Tables>,
  identity: OidcIdentity,
  profile: Profile,
): Promise<string> =>
  db.transaction().execute(async (tx) => {
    const email = readEmail(profile)
    const joined = email?.isVerified ? await linkOidcUser(tx, identity, email.address) : undefined
    if (joined) return joined
    return (await createOidcUser(tx, identity, profile, email)) ?? (await findOidcUser(tx, identity))!
  })

interface IssuerEmail {
  address: string
  isVerified: boolean
}

function readEmail({ email, email_verified: verified }: Profile): IssuerEmail | undefined {
  return Value.Check(Email, email) ? { address: email, isVerified: verified === true } : undefined
}

/** @returns undefined if a concurrent request has created the user */
async function createOidcUser(
  tx: Kysely<Tables>,
  { tenantId, issuer, subject }: OidcIdentity,
  profile: Profile,
  email: IssuerEmail | undefined,
): Promise<string | undefined> {
  const address = email?.address ?? null
  const insert = (ownsEmail: boolean) =>
    tx
      .insertInto('users')
      .values({
        id: newId(),
        tenant_id: tenantId,
        display_name: firstText(profile.name, profile.preferred_username, address, subject),
        email: address,
        owns_email: ownsEmail,
        oidc_issuer: issuer,
        oidc_subject: subject,
      })
      .onConflict((oc) => oc.doNothing())
      .returning('id')
      .executeTakeFirst()
  // If another user owns the email, this user is created without owning it. A refusal would reveal that the email is
  // in use.
  const made = (email?.isVerified && (await insert(true))) || (await insert(false))
  if (!made) return undefined
  await insertUserRelations(tx, tenantId, made.id)
  await recordAudit(
    tx,
    { tenantId, system: 'oidc' },
    {
      action: 'create',
      resourceType: 'user',
      resourceId: made.id,
      after: { id: made.id, email: address, issuer },
    },
  )
  return made.id
}

const firstText = (...candidates: unknown[]) =>
  candidates.find((text): text is string => typeof text === 'string' && text.trim() !== '')!.slice(0, 256)
