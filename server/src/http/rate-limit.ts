/**
 * Limits requests per hour and principal across restarts and nodes, without a write per request: a node draws a share
 * of the remaining requests from the database and counts it down in memory. Shares shrink with what remains, down to
 * single requests, so that the limit is exact.
 */
import type pg from 'pg'

export interface RateLimit {
  allowed: boolean
  limit: number
  /** Requests left in this window, as far as this node knows. */
  remaining: number
  /** End of the window: Unix time in seconds. */
  resetSeconds: number
}

export interface RateLimiter extends AsyncDisposable {
  /** Counts one request of `key`. */
  take(key: string, limit: number): Promise<RateLimit>
  /** The same without counting. */
  look(key: string, limit: number): RateLimit
}

const WINDOW_SECONDS = 3600
/** A draw takes a twentieth of the remaining requests, at most `LARGEST_SHARE`. */
const SHARE_DIVISOR = 20
const LARGEST_SHARE = 100

interface Account {
  /** Requests drawn and not used yet. */
  unused: number
  /** Requests drawn by all nodes, as of the last draw of this node. */
  drawn: number
  drawing: Promise<void> | undefined
}

/** @param nowSeconds for tests: Unix time */
export function createRateLimiter(pool: pg.Pool, nowSeconds = () => Date.now() / 1000): RateLimiter {
  let windowSeconds = 0
  let accounts = new Map<string, Account>()

  const findAccount = (key: string) => {
    const now = Math.floor(nowSeconds() / WINDOW_SECONDS) * WINDOW_SECONDS
    if (now !== windowSeconds) [windowSeconds, accounts] = [now, new Map()]
    return accounts.get(key)
  }
  const getAccount = (key: string) => {
    let account = findAccount(key)
    if (!account) accounts.set(key, (account = { unused: 0, drawn: 0, drawing: undefined }))
    return account
  }
  const countRemaining = (limit: number, { drawn, unused }: Account) => Math.max(0, limit - drawn) + unused

  return {
    async take(key, limit) {
      const account = getAccount(key)
      const resetSeconds = windowSeconds + WINDOW_SECONDS
      while (account.unused === 0 && account.drawn < limit) {
        account.drawing ??= draw(pool, { key, windowSeconds, account, limit }).finally(
          () => (account.drawing = undefined),
        )
        await account.drawing
      }
      const allowed = account.unused > 0
      if (allowed) account.unused--
      return { allowed, limit, remaining: allowed ? countRemaining(limit, account) : 0, resetSeconds }
    },
    look(key, limit) {
      const account = findAccount(key)
      const remaining = account ? countRemaining(limit, account) : limit
      return { allowed: remaining > 0, limit, remaining, resetSeconds: windowSeconds + WINDOW_SECONDS }
    },
    // Returns unused requests to the database, so that a restart does not lose them.
    [Symbol.asyncDispose]: async () => {
      const unused = [...accounts].filter(([, account]) => account.unused > 0)
      await pool.query(
        `update rate_windows w set drawn = w.drawn - u.unused
         from unnest($2::text[], $3::int[]) as u (key, unused)
         where w.key = u.key and w.starts_at = to_timestamp($1)`,
        [windowSeconds, unused.map(([key]) => key), unused.map(([, account]) => account.unused)],
      )
      accounts.clear()
    },
  }
}

async function draw(
  pool: pg.Pool,
  {
    key,
    windowSeconds,
    account,
    limit,
  }: { key: string; windowSeconds: number; account: Account; limit: number },
) {
  // The upsert locks the row, so that no two nodes draw the same requests.
  const { rows } = await pool.query<{ drawn: number; share: number }>({
    name: 'rate-limit-draw',
    text: `
      insert into rate_windows as w (key, starts_at, drawn, last_share)
      select $1, to_timestamp($2), share, share from (select least($4::int, greatest(1, $3::int / $5::int)) as share) first
      on conflict (key, starts_at) do update
      set drawn = w.drawn + greatest(1, least($4, ($3 - w.drawn) / $5)),
          last_share = greatest(1, least($4, ($3 - w.drawn) / $5))
      where w.drawn < $3
      returning drawn, last_share as share`,
    values: [key, windowSeconds, limit, LARGEST_SHARE, SHARE_DIVISOR],
  })
  account.drawn = rows[0]?.drawn ?? limit
  account.unused += rows[0]?.share ?? 0
}

export const deletePastRateWindows = (pool: pg.Pool) =>
  pool.query(`delete from rate_windows where starts_at < now() - interval '2 hours'`)
