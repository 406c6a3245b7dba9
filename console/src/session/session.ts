import { deleteDrafts } from './drafts.ts'

/**
 * The sign-in of this page. The access token lives in memory only; the refresh token is a cookie that no script can read.
 */
export interface User {
  id: string
  displayName: string
  email: string | null
  tenantId: string
}

export type SessionState =
  | { kind: 'starting' }
  | { kind: 'signed-out' }
  | { kind: 'signed-in'; user: User }
  /** The sign-in ended while the page was open: the page stays, and its forms with it, until the user is back. */
  | { kind: 'expired'; user: User }

export interface Tokens {
  accessToken: string
  expiresIn: number
}

export interface Session {
  getState: () => SessionState
  subscribe: (onChange: () => void) => () => void
  /** The present access token, renewed when it is about to expire; null without a sign-in. */
  getToken: () => Promise<string | null>
  /** Replaces a token that was refused. */
  renew: () => Promise<string | null>
  start: () => Promise<void>
  signIn: (path: string, body: object) => Promise<void>
  signOut: (everywhere?: boolean) => Promise<void>
}

/** Tells a later visit whether there may be a cookie; without one no renewal is tried. */
const HINT = 'gangway.signed-in'
const LOCK = 'gangway.renewal'
const CHANNEL = 'gangway.session'
/** A token that expires within this time is replaced first. */
const EARLY_MS = 60_000

/** @param send posts JSON and answers JSON, or throws the API's error */
export function createSession(send: Send): Session {
  const listeners = new Set<() => void>()
  const channel = new BroadcastChannel(CHANNEL)
  let state: SessionState = { kind: 'starting' }
  let token: { value: string; expiresAtMs: number } | null = null
  let running: Promise<string | null> | null = null

  const setState = (next: SessionState) => {
    state = next
    for (const listener of listeners) listener()
  }
  const accept = ({ accessToken, expiresIn }: Tokens) => {
    token = { value: accessToken, expiresAtMs: Date.now() + expiresIn * 1000 }
    return accessToken
  }
  const end = () => {
    token = null
    if (state.kind === 'signed-in') setState({ kind: 'expired', user: state.user })
    else if (state.kind === 'starting') setState({ kind: 'signed-out' })
    return null
  }
  /** Tabs share the cookie: one renews at a time, so that no refresh token is used twice. */
  const renew = () => {
    running ??= withLock(LOCK, () => send('/v1/auth/refresh', undefined))
      .then((tokens) => accept(tokens as Tokens))
      .catch((error: unknown) => {
        if (isRefusal(error)) return end()
        throw error
      })
      .finally(() => (running = null))
    return running
  }
  const loadUser = async (accessToken: string) => {
    const user = (await send('/v1/auth/me', undefined, { method: 'GET', accessToken })) as User
    setState({ kind: 'signed-in', user })
    localStorage.setItem(HINT, 'yes')
  }

  /** Signs in with the cookie that another tab has received. */
  const join = async () => {
    const before = state
    if (before.kind === 'signed-in' || before.kind === 'starting') return
    const accessToken = await renew()
    if (accessToken === null) return
    const user = (await send('/v1/auth/me', undefined, { method: 'GET', accessToken })) as User
    goOnAs(user, before)
  }
  /** Reloads the page for a different user, who must not see the previous user's forms. */
  const goOnAs = (user: User, before: SessionState) => {
    if (before.kind !== 'expired' || before.user.id === user.id) return setState({ kind: 'signed-in', user })
    deleteDrafts()
    location.reload()
  }
  const becomeSignedOut = () => {
    token = null
    deleteDrafts()
    setState({ kind: 'signed-out' })
  }

  channel.addEventListener('message', ({ data }) => {
    // After a failure, the next request of the page tries again.
    if (data === 'signed-in') join().catch(() => {})
    if (data === 'signed-out') becomeSignedOut()
  })

  return {
    getState: () => state,
    subscribe: (onChange) => {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
    getToken: async () => {
      if (token !== null && token.expiresAtMs - Date.now() > EARLY_MS) return token.value
      return state.kind === 'signed-out' ? null : renew()
    },
    renew,
    start: async () => {
      const accessToken = localStorage.getItem(HINT) === null ? end() : await renew()
      if (accessToken !== null) await loadUser(accessToken)
    },
    signIn: async (path, body) => {
      const before = state
      // The lock prevents concurrent renewals: a refused one would delete the new cookie.
      const answer = await withLock(LOCK, () => send(path, { ...body, cookie: true }))
      const accessToken = accept(answer as Tokens)
      const user = (await send('/v1/auth/me', undefined, { method: 'GET', accessToken })) as User
      localStorage.setItem(HINT, 'yes')
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- channels have none
      channel.postMessage('signed-in')
      goOnAs(user, before)
    },
    signOut: async (everywhere = false) => {
      const accessToken = token?.value
      await send('/v1/auth/logout', everywhere ? { everywhere: true } : undefined, { accessToken })
      localStorage.removeItem(HINT)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- channels have none
      channel.postMessage('signed-out')
      becomeSignedOut()
    },
  }
}

export type Send = (
  path: string,
  body: object | undefined,
  options?: { method?: 'GET' | 'POST'; accessToken?: string | undefined },
) => Promise<unknown>

/** Other errors, such as a rate limit, do not end the session. */
const isRefusal = (error: unknown) =>
  typeof error === 'object' &&
  error !== null &&
  'status' in error &&
  (error.status === 401 || error.status === 403)

function withLock<T>(name: string, task: () => Promise<T>): Promise<T> {
  // Without https only localhost has locks; there a renewal in two tabs at once is caught by the server's grace.
  return 'locks' in navigator ? navigator.locks.request(name, task) : task()
}
