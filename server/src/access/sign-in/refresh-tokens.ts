/**
 * Refresh tokens live 30 days and rotate on use. A token that is used twice was stolen, so its whole family is revoked:
 * thief and owner both have to sign in again. [docs/sign-in#access-tokens]
 */
import { createHash, randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { newId } from '../../lib/ids.ts'

const LIFETIME_DAYS = 30

export interface Rotation {
  userId: string
  familyId: string
  refreshToken: string
}

const digest = (token: string) => createHash('sha256').update(token).digest()

/** @param network the network of the user, from `clientNetwork` */
export async function startSignIn(db: Kysely<Tables>, userId: string, network: string): Promise<Rotation> {
  const familyId = newId()
  await db.insertInto('refresh_token_families').values({ id: familyId, user_id: userId, network }).execute()
  return { userId, familyId, refreshToken: await insertRefreshToken(db, familyId) }
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

async function insertRefreshToken(db: Kysely<Tables>, familyId: string) {
  const token = `gwr_${randomBytes(32).toString('base64url')}`
  const expiresAt = new Date(Date.now() + LIFETIME_DAYS * 86_400_000)
  const row = { token_hash: digest(token), family_id: familyId, expires_at: expiresAt }
  await db.insertInto('refresh_tokens').values(row).execute()
  return token
}

/** @returns undefined if the token is unknown, expired, revoked or used before */
export async function rotateRefreshToken(db: Kysely<Tables>, token: string): Promise<Rotation | undefined> {
  const hash = digest(token)
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .selectFrom('refresh_tokens as t')
      .innerJoin('refresh_token_families as f', 'f.id', 't.family_id')
      .innerJoin('users as u', 'u.id', 'f.user_id')
      .select([
        't.expires_at',
        't.used_at',
        'f.id as family_id',
        'f.user_id',
        'f.revoked_at',
        'u.disabled_at',
      ])
      .where('t.token_hash', '=', hash)
      .forUpdate(['t', 'f'])
      .executeTakeFirst()
    if (!row || row.revoked_at || row.disabled_at || row.expires_at <= new Date()) return undefined
    if (row.used_at) {
      await revokeSignIn(tx, row.family_id)
      return undefined
    }
    await tx
      .updateTable('refresh_tokens')
      .set({ used_at: sql`now()` })
      .where('token_hash', '=', hash)
      .execute()
    const refreshToken = await insertRefreshToken(tx, row.family_id)
    return { userId: row.user_id, familyId: row.family_id, refreshToken }
  })
}

/** Ends the token's sign-in. An unknown token belongs to a sign-in that has ended already. */
export async function revokeSignInByToken(db: Kysely<Tables>, token: string): Promise<void> {
  const row = await db
    .selectFrom('refresh_tokens')
    .select('family_id')
    .where('token_hash', '=', digest(token))
    .executeTakeFirst()
  if (row) await revokeSignIn(db, row.family_id)
}

export const revokeSignIn = (db: Kysely<Tables>, familyId: string) =>
  db
    .updateTable('refresh_token_families')
    .set({ revoked_at: sql`now()` })
    .where('id', '=', familyId)
    .where('revoked_at', 'is', null)
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
