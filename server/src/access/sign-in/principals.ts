/** Reads users and tokens from the database for each request, without a cache. */
import type pg from 'pg'
import { findShown } from '../../dashboards/shown/find-shown.ts'
import type { Shown } from '../../dashboards/shown/shown.ts'
import { coalesce } from '../../lib/coalesce.ts'

interface Principal {
  userId: string
  tenantId: string
  plan: 'standard' | 'enterprise'
  disabled: boolean
}

interface Session {
  userId: string
  /** Absent for a token of an OIDC issuer, which has no sign-in here. */
  familyId?: string
}

export interface ApiTokenPrincipal extends Principal {
  tokenId: string
  secretHash: Buffer
  privileges: string[] | null
  expiresAt: Date | undefined
  expired: boolean
  /** What the dashboard shows that the token is limited to. */
  shown: Shown | undefined
}

interface Row {
  place: number
  user_id: string
  tenant_id: string
  plan: 'standard' | 'enterprise'
  disabled: boolean
}

const toPrincipal = (row: Row): Principal => ({
  userId: row.user_id,
  tenantId: row.tenant_id,
  plan: row.plan,
  disabled: row.disabled,
})

export interface Principals {
  /** Finds the user of a sign-in, unless it was revoked. */
  findBySession(session: Session): Promise<Principal | undefined>
  findByApiToken(tokenId: string): Promise<ApiTokenPrincipal | undefined>
}

export function createPrincipals(pool: pg.Pool): Principals {
  const options = { maxBatch: 500, concurrency: 4 }
  const findToken = coalesce((tokenIds: string[]) => findApiTokens(pool, tokenIds), options)
  return {
    findBySession: coalesce((sessions) => findSessions(pool, sessions), options),
    findByApiToken: async (tokenId) => {
      const found = await findToken(tokenId)
      if (!found) return undefined
      const { dashboardId, ...principal } = found
      if (dashboardId === null) return { ...principal, shown: undefined }
      const shown = await findShown(pool, { ...principal, dashboardId })
      return shown && { ...principal, shown }
    },
  }
}

async function findSessions(pool: pg.Pool, sessions: Session[]) {
  const { rows } = await pool.query<Row>({
    name: 'principals-of-sessions',
    text: `select asked.place::int, u.id as user_id, u.tenant_id, tn.plan, u.disabled_at is not null as disabled
      from unnest($1::uuid[], $2::uuid[]) with ordinality as asked (user_id, family_id, place)
      join users u on u.id = asked.user_id
      join tenants tn on tn.id = u.tenant_id
      left join refresh_token_families f on f.id = asked.family_id and f.user_id = u.id and f.revoked_at is null
        and (f.expires_at is null or f.expires_at > now())
      where asked.family_id is null or f.id is not null`,
    values: [sessions.map((session) => session.userId), sessions.map((session) => session.familyId ?? null)],
  })
  return inOrder(sessions.length, rows, toPrincipal)
}

async function findApiTokens(pool: pg.Pool, tokenIds: string[]) {
  const { rows } = await pool.query<
    Row & {
      id: string
      secret_hash: Buffer
      privileges: string[] | null
      expires_at: Date | null
      expired: boolean
      dashboard_id: string | null
    }
  >({
    name: 'principals-of-api-tokens',
    text: `select asked.place::int, u.id as user_id, u.tenant_id, tn.plan, u.disabled_at is not null as disabled,
        t.id, t.secret_hash, t.privileges, t.expires_at, t.dashboard_id, coalesce(t.expires_at <= now(), false) as expired
      from unnest($1::uuid[]) with ordinality as asked (token_id, place)
      join api_tokens t on t.id = asked.token_id
      join users u on u.id = t.user_id
      join tenants tn on tn.id = u.tenant_id`,
    values: [tokenIds],
  })
  return inOrder(tokenIds.length, rows, (row) => ({
    ...toPrincipal(row),
    tokenId: row.id,
    secretHash: row.secret_hash,
    privileges: row.privileges,
    expiresAt: row.expires_at ?? undefined,
    expired: row.expired,
    dashboardId: row.dashboard_id,
  }))
}

function inOrder<R extends { place: number }, T>(
  count: number,
  rows: R[],
  shape: (row: R) => T,
): (T | undefined)[] {
  const result: (T | undefined)[] = Array.from({ length: count })
  for (const row of rows) result[row.place - 1] = shape(row)
  return result
}
