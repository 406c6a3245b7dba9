/** Reads users and tokens from the database for each request, without a cache. */
import type pg from 'pg'
import { createShownFinder } from '../../dashboards/shown/find-shown.ts'
import type { Shown } from '../../dashboards/shown/shown.ts'
import { coalesce } from '../../lib/coalesce.ts'
import type { Runtime } from '../../runtime.ts'

interface Principal {
  userId: string
  tenantId: string
  tenantNumber: number
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
  /** The dashboard that the token is limited to. */
  dashboardId: string | null
}

interface Limits {
  /** What the dashboard shows that the token is limited to; absent for other tokens. */
  shown: Shown | undefined
}

interface Row {
  place: number
  user_id: string
  tenant_id: string
  tenant_number: number
  plan: 'standard' | 'enterprise'
  disabled: boolean
}

const toPrincipal = (row: Row): Principal => ({
  userId: row.user_id,
  tenantId: row.tenant_id,
  tenantNumber: row.tenant_number,
  plan: row.plan,
  disabled: row.disabled,
})

export interface Principals {
  /** Finds the user of a sign-in, unless it was revoked. */
  findBySession(session: Session): Promise<Principal | undefined>
  findByApiToken(tokenId: string): Promise<ApiTokenPrincipal | undefined>
  /**
   * Finds what a token is limited to. It costs more than the token itself: call it for a token whose secret, time and
   * user are verified.
   * @returns undefined if the token ends with its dashboard, which was deleted or which its user may no longer view
   */
  findLimits(token: ApiTokenPrincipal): Promise<Limits | undefined>
}

export function createPrincipals({ db, pool }: Pick<Runtime, 'db' | 'pool'>): Principals {
  const options = { maxBatch: 500, concurrency: 4 }
  const findShown = createShownFinder({ db, pool })
  return {
    findBySession: coalesce((sessions) => findSessions(pool, sessions), options),
    findByApiToken: coalesce((tokenIds) => findApiTokens(pool, tokenIds), options),
    findLimits: async ({ tenantId, userId, dashboardId }) => {
      if (dashboardId === null) return { shown: undefined }
      const shown = await findShown({ tenantId, userId, dashboardId })
      return shown && { shown }
    },
  }
}

async function findSessions(pool: pg.Pool, sessions: Session[]) {
  const { rows } = await pool.query<Row>({
    name: 'principals-of-sessions',
    text: `select asked.place::int, u.id as user_id, u.tenant_id, tn.number as tenant_number, tn.plan, u.disabled_at is not null as disabled
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
    text: `select asked.place::int, u.id as user_id, u.tenant_id, tn.number as tenant_number, tn.plan, u.disabled_at is not null as disabled,
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
