/** Stores tokens of mailed links: random, valid once and for a limited time. Only a digest is stored. */
import { createHash, randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { UserRow } from '../../database/tables/users.ts'
import { getUser } from '../store.ts'

const LIFETIME_SECONDS = 3600
/** The shortest time between two mails to a user for which anybody may ask. */
const PAUSE_SECONDS = 60

const digest = (token: string) => createHash('sha256').update(token).digest()

interface NewReset {
  lifetimeSeconds?: number
  /** Whether a token that was created a moment ago is kept. */
  isPaused?: boolean
}

/** Replaces the user's previous token; the new one is valid for at least as long. @returns undefined if the previous one is kept */
export async function insertReset(
  db: Kysely<Tables>,
  userId: string,
  { lifetimeSeconds = LIFETIME_SECONDS, isPaused = true }: NewReset = {},
): Promise<string | undefined> {
  const token = randomBytes(32).toString('base64url')
  const { rows } = await sql`
    insert into password_resets as previous (user_id, token_hash, expires_at)
    values (${userId}, ${digest(token)}, now() + make_interval(secs => ${lifetimeSeconds}))
    on conflict (user_id) do update
      set token_hash = excluded.token_hash, created_at = excluded.created_at,
        expires_at = greatest(previous.expires_at, excluded.expires_at)
      where not ${isPaused} or previous.created_at < now() - make_interval(secs => ${PAUSE_SECONDS})
    returning user_id`.execute(db)
  return rows.length > 0 ? token : undefined
}

/** Deletes the token. @returns its user; undefined if the token is unknown, used or expired, or the user is disabled */
export async function consumeReset(tx: Kysely<Tables>, token: string): Promise<UserRow | undefined> {
  const { rows } = await sql<{ id: string; tenant_id: string }>`
    delete from password_resets r using users u
    where r.token_hash = ${digest(token)} and r.expires_at > now() and u.id = r.user_id and u.disabled_at is null
    returning u.id, u.tenant_id`.execute(tx)
  const [user] = rows
  return user && getUser(tx, user.tenant_id, user.id)
}

export const deleteReset = (db: Kysely<Tables>, userId: string) =>
  db.deleteFrom('password_resets').where('user_id', '=', userId).execute()

/** Deletes a token that nobody has received, unless another has replaced it. */
export const deleteUnsentReset = (db: Kysely<Tables>, token: string) =>
  db.deleteFrom('password_resets').where('token_hash', '=', digest(token)).execute()

export const deleteExpiredResets = (db: Kysely<Tables>) =>
  sql`delete from password_resets where expires_at < now()`.execute(db)
