/**
 * Requests per hour and principal, right across restarts and several processes, without a write per request: a process
 * draws a share of what is left in the window from the database and counts that down in memory. The less is left, the
 * smaller the shares, down to single requests, so that the last one is counted exactly.
 */
import type pg from 'pg'

export interface RateLimit {
  allowed: boolean
  limit: number
  /** What is left in this window, as far as this process knows. */
  remaining: number
  /** When the window ends: Unix time in seconds. */
  resetSeconds: number
}

export interface RateLimiter extends AsyncDisposable {
  /** Counts one request of `key`. */
  take(key: string, limit: number): Promise<RateLimit>
  /** The same without counting, as far as this process knows. */
  look(key: string, limit: number): RateLimit
}

const WINDOW_SECONDS = 3600
/** A draw takes this part of what is left, and never more than the most. */
const SHARE_DIVISOR = 20
const LARGEST_SHARE = 100

interface Account {
  /** Drawn and not yet used. */
  inHand: number
  /** Drawn by everybody, when this process last looked. */
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
  const accountOf = (key: string) => {
    let account = findAccount(key)
    if (!account) accounts.set(key, (account = { inHand: 0, drawn: 0, drawing: undefined }))
    return account
  }
  const left = (limit: number, { drawn, inHand }: Account) => Math.max(0, limit - drawn) + inHand

  return {
    async take(key, limit) {
      const account = accountOf(key)
      const resetSeconds = windowSeconds + WINDOW_SECONDS
      while (account.inHand === 0 && account.drawn < limit) {
        account.drawing ??= draw(pool, { key, windowSeconds, account, limit }).finally(
          () => (account.drawing = undefined),
        )
        await account.drawing
      }
      const allowed = account.inHand > 0
      if (allowed) account.inHand--
      return { allowed, limit, remaining: allowed ? left(limit, account) : 0, resetSeconds }
    },
    look(key, limit) {
      const account = findAccount(key)
      const remaining = account ? left(limit, account) : limit
      return { allowed: remaining > 0, limit, remaining, resetSeconds: windowSeconds + WINDOW_SECONDS }
    },
    // What was drawn and not used is still there after a restart.
    [Symbol.asyncDispose]: async () => {
      const unused = [...accounts].filter(([, account]) => account.inHand > 0)
      await pool.query(
        `update rate_windows w set drawn = w.drawn - u.unused
         from unnest($2::text[], $3::int[]) as u (key, unused)
         where w.key = u.key and w.starts_at = to_timestamp($1)`,
        [windowSeconds, unused.map(([key]) => key), unused.map(([, account]) => account.inHand)],
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
  // The upsert locks the row: no two processes draw the same requests.
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
  account.inHand += rows[0]?.share ?? 0
}

export const deletePastRateWindows = (pool: pg.Pool) =>
  pool.query(`delete from rate_windows where starts_at < now() - interval '2 hours'`)
