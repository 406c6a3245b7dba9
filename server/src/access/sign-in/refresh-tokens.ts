/**
 * Refresh tokens live 30 days and rotate on use. A token that is used twice was stolen, so its whole family is revoked:
 * thief and owner both have to sign in again. [docs/sign-in#access-tokens]
 */
import { createHash, randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { newId } from '../../lib/ids.ts'

const LIFETIME_DAYS = 30
/** A browser that lost an answer asks again within this time. */
const REPEATABLE_MS = 30_000

export interface Rotation {
  userId: string
  familyId: string
  refreshToken: string
  refreshExpiresAt: Date
}

const digest = (token: string) => createHash('sha256').update(token).digest()

interface SignIn {
  userId: string
  /** The network of the user, from `clientNetwork`. */
  network: string
  /** No token of the sign-in is valid from then on. */
  expiresAt?: Date
}

export async function startSignIn(
  db: Kysely<Tables>,
  { userId, network, expiresAt }: SignIn,
): Promise<Rotation> {
  const familyId = newId()
  const family = { id: familyId, user_id: userId, network, expires_at: expiresAt ?? null }
  await db.insertInto('refresh_token_families').values(family).execute()
  return { userId, familyId, ...(await insertRefreshToken(db, family)) }
}

/** Whether the user has signed in from the network in about the last 30 days, while the sign-in is stored. */
export async function hasSignedInFrom(db: Kysely<Tables>, userId: string, network: string): Promise<boolean> {
  const row = await db
    .selectFrom('refresh_token_families')
    .select('id')
    .where('user_id', '=', userId)
    .where('network', '=', network)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

async function insertRefreshToken(
  db: Kysely<Tables>,
  family: { id: string; expires_at: Date | null },
  parentHash: Buffer | null = null,
) {
  const refreshToken = `gwr_${randomBytes(32).toString('base64url')}`
  const latest = Date.now() + LIFETIME_DAYS * 86_400_000
  const refreshExpiresAt = new Date(Math.min(latest, family.expires_at?.getTime() ?? latest))
  const row = {
    token_hash: digest(refreshToken),
    family_id: family.id,
    expires_at: refreshExpiresAt,
    parent_hash: parentHash,
  }
  await db.insertInto('refresh_tokens').values(row).execute()
  return { refreshToken, refreshExpiresAt }
}

/**
 * @param mayRepeat whether the caller may have lost the answer to its last request: its token is then accepted once more
 * @returns undefined if the token is unknown, expired, revoked or used before
 */
export async function rotateRefreshToken(
  db: Kysely<Tables>,
  token: string,
  { mayRepeat = false } = {},
): Promise<Rotation | undefined> {
  const hash = digest(token)
  return db.transaction().execute(async (tx) => {
    const row = await findRefreshToken(tx, hash)
    if (!row || row.revoked_at || row.disabled_at || row.expires_at <= new Date()) return undefined
    if (row.used_at && !(mayRepeat && (await isRepeatable(tx, row)))) {
      await revokeSignIn(tx, row.family_id)
      return undefined
    }
    await markUsed(tx, row)
    const family = { id: row.family_id, expires_at: row.family_expires_at }
    return { userId: row.user_id, familyId: family.id, ...(await insertRefreshToken(tx, family, hash)) }
  })
}

type FoundToken = NonNullable<Awaited<ReturnType<typeof findRefreshToken>>>

/** Locks the sign-in, so that its tokens are used one after another. */
const findRefreshToken = (tx: Kysely<Tables>, hash: Buffer) =>
  tx
    .selectFrom('refresh_tokens as t')
    .innerJoin('refresh_token_families as f', 'f.id', 't.family_id')
    .innerJoin('users as u', 'u.id', 'f.user_id')
    .select([
      't.token_hash',
      't.parent_hash',
      't.expires_at',
      't.used_at',
      't.repeated_at',
      'f.id as family_id',
      'f.expires_at as family_expires_at',
      'f.user_id',
      'f.revoked_at',
      'u.disabled_at',
    ])
    .where('t.token_hash', '=', hash)
    .forUpdate(['t', 'f'])
    .executeTakeFirst()

/** A token is accepted twice, soon after its first use, while no token that replaced it was used. */
async function isRepeatable(tx: Kysely<Tables>, { token_hash, used_at, repeated_at }: FoundToken) {
  if (repeated_at || used_at!.getTime() < Date.now() - REPEATABLE_MS) return false
  const used = await tx
    .selectFrom('refresh_tokens')
    .select('token_hash')
    .where('parent_hash', '=', token_hash)
    .where('used_at', 'is not', null)
    .executeTakeFirst()
  return used === undefined
}

/** The browser keeps one of two successors of a repeated token. Once it is used, the other one counts as used as well. */
async function markUsed(tx: Kysely<Tables>, { token_hash, parent_hash, used_at }: FoundToken) {
  await tx
    .updateTable('refresh_tokens')
    .set(used_at ? { repeated_at: sql`now()` } : { used_at: sql`now()` })
    .where('token_hash', '=', token_hash)
    .execute()
  if (!parent_hash || used_at) return
  await tx
    .updateTable('refresh_tokens')
    .set({ used_at: sql`now()`, repeated_at: sql`now()` })
    .where('parent_hash', '=', parent_hash)
    .where('token_hash', '!=', token_hash)
    .execute()
}

/** @returns undefined if the token is unknown or its sign-in has ended */
export async function findSignIn(db: Kysely<Tables>, token: string) {
  const row = await db
    .selectFrom('refresh_tokens as t')
    .innerJoin('refresh_token_families as f', 'f.id', 't.family_id')
    .select(['f.id', 'f.user_id'])
    .where('t.token_hash', '=', digest(token))
    .where('f.revoked_at', 'is', null)
    .executeTakeFirst()
  return row && { signInId: row.id, userId: row.user_id }
}

export const revokeSignIn = (db: Kysely<Tables>, familyId: string) =>
  db
    .updateTable('refresh_token_families')
    .set({ revoked_at: sql`now()` })
    .where('id', '=', familyId)
    .where('revoked_at', 'is', null)
    .execute()

/** Ends the sign-ins of all users of a tenant by its OIDC issuer. */
export const revokeIssuerSignIns = (db: Kysely<Tables>, tenantId: string) =>
  db
    .updateTable('refresh_token_families as f')
    .from('users as u')
    .set({ revoked_at: sql`now()` })
    .whereRef('u.id', '=', 'f.user_id')
    .where('u.tenant_id', '=', tenantId)
    .where('f.expires_at', 'is not', null)
    .where('f.revoked_at', 'is', null)
    .execute()

/** Ends every sign-in of the user, except the given one. */
export const revokeSignIns = (db: Kysely<Tables>, userId: string, exceptFamilyId?: string) =>
  db
    .updateTable('refresh_token_families')
    .set({ revoked_at: sql`now()` })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .$if(exceptFamilyId !== undefined, (q) => q.where('id', '!=', exceptFamilyId!))
    .execute()

export const deleteExpiredRefreshTokens = (db: Kysely<Tables>) =>
  sql`delete from refresh_token_families f where not exists (
    select 1 from refresh_tokens t where t.family_id = f.id and t.expires_at > now())`.execute(db)
