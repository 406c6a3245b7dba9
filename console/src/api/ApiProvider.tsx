import { connect, type Gangway } from '@gangway/client'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useCallback, useState } from 'react'
import type { Session } from '../session/session.ts'
import { useSession } from '../session/SessionProvider.tsx'
import { forgetLongLists } from './long-list.ts'
import { createRequestLimit, RequestLimitContext } from './request-limit.ts'
import { createUploadFetch } from './upload-fetch.ts'

const ApiContext = createContext<Gangway | null>(null)

/** The client of this page's user, and the cache of what it read. */
export function ApiProvider({ children }: { children: ReactNode }) {
  const session = useSession()
  return <Client connectWith={(send) => connectAs(session, send)}>{children}</Client>
}

interface TokenProps {
  /** An API token. */
  token: string
  /** Called when the server refuses the token: it has ended. */
  onRefused: () => void
  children: ReactNode
}

/** The client of a page that has a token of its own in place of a sign-in, with a cache of its own. */
export const TokenApiProvider = ({ token, onRefused, children }: TokenProps) => (
  <Client connectWith={(send) => connect({ url: '', token, renew: onRefused, fetch: send })}>
    {children}
  </Client>
)

/** @param props.connectWith makes the client, which stays the same */
function Client({
  connectWith,
  children,
}: {
  connectWith: (send: typeof fetch) => Gangway
  children: ReactNode
}) {
  const [limit] = useState(createRequestLimit)
  const [api] = useState(() => connectWith(limit.fetch))
  const [cache] = useState(createCache)
  return (
    <ApiContext value={api}>
      <RequestLimitContext value={limit}>
        <QueryClientProvider client={cache}>{children}</QueryClientProvider>
      </RequestLimitContext>
    </ApiContext>
  )
}

/** `useApi().get('/v1/assets/{assetId}', { path: { assetId } })` */
export function useApi(): Gangway {
  const api = use(ApiContext)
  if (api === null) throw new Error('useApi needs an ApiProvider')
  return api
}

/** Returns clients whose requests report the sent share of their body, for uploads. */
export function useUploadApi(): (onProgress: (share: number) => void) => Gangway {
  const session = useSession()
  return useCallback((onProgress) => connectAs(session, createUploadFetch(onProgress)), [session])
}

const connectAs = (session: Session, send?: typeof fetch) =>
  connect({
    url: '',
    token: async () => (await session.getToken()) ?? undefined,
    renew: session.renew,
    ...(send && { fetch: send }),
  })

function createCache() {
  const cache = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // Only what may be different a second later is asked again.
        retry: (count, error) => count < 2 && isPassing(error),
        retryDelay: (count) => 500 * 2 ** count,
      },
    },
  })
  forgetLongLists(cache)
  return cache
}

const isPassing = (error: unknown) => {
  const { status, timeoutMs } = error as { status?: number; timeoutMs?: number }
  // After a timeout the user has waited long enough: the error is shown at once.
  if (timeoutMs !== undefined) return false
  return status === undefined || status === 502 || status === 503 || status === 504
}
