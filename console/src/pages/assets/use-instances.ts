import type { Gangway } from '@gangway/client'
import { ApiError } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { links, type PageLink } from '../../links.ts'
import { withTimeout } from '../devices/timeout.ts'

/** A client or another asset to which an asset is bound. */
export interface Instance {
  id: string
  kind: 'client' | 'asset'
  name: string
  link: PageLink
}

/** Greatest number of instances that are looked up; each takes one or a few requests. */
const MOST = 12
const MOST_PROVIDERS = 20

/** Looks up the clients and assets whose ids are in bindings, without those that the user may not see. */
export function useInstances(ids: string[]) {
  const api = useApi()
  const wanted = [...new Set(ids)].toSorted().slice(0, MOST)
  return useQuery({
    queryKey: ['instances', wanted],
    queryFn: async ({ signal }) => {
      const timed = withTimeout(signal)
      const providers = await api.get('/v1/providers', { query: { limit: MOST_PROVIDERS }, signal: timed })
      const found = await Promise.all(
        wanted.map((id) =>
          findInstance(api, id, { providerIds: providers.map((one) => one.id), signal: timed }),
        ),
      )
      return new Map(found.filter((one) => one !== undefined).map((one) => [one.id, one]))
    },
    enabled: wanted.length > 0,
    staleTime: 300_000,
  })
}

/** Looks up an id among the clients first and then among the assets, as the server does. */
async function findInstance(
  api: Gangway,
  id: string,
  { providerIds, signal }: { providerIds: string[]; signal: AbortSignal },
): Promise<Instance | undefined> {
  for (const providerId of providerIds) {
    const client = await api
      .get('/v1/providers/{providerId}/clients/{clientId}', { path: { providerId, clientId: id }, signal })
      .catch(skipUnseen)
    if (client !== undefined)
      return { id, kind: 'client', name: client.displayName, link: links.device(providerId, id) }
  }
  const asset = await api.get('/v1/assets/{assetId}', { path: { assetId: id }, signal }).catch(skipUnseen)
  return asset && { id, kind: 'asset', name: asset.displayName, link: links.asset(id) }
}

function skipUnseen(error: unknown): undefined {
  if (error instanceof ApiError && (error.status === 403 || error.status === 404 || error.status === 400))
    return undefined
  throw error
}
