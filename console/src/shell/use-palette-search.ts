import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { links, type PageLink } from '../links.ts'
import type { IconName } from '../parts/Icon.tsx'
import { routes } from '../routes/routes.ts'
import { useWords } from '../words/words.tsx'
import type { Gangway } from '@gangway/client'
import { useApi } from '../api/ApiProvider.tsx'

export interface Found {
  kind: 'page' | 'device' | 'asset' | 'model'
  id: string
  name: string
  detail?: string
  icon?: IconName
  link: PageLink
}

const MAX_OF_KIND = 6

/** Finds pages at once, and devices, assets and models when the server answers. */
export function usePaletteSearch(text: string): { found: Found[]; isSearching: boolean } {
  const pages = useFoundPages(text)
  const api = useApi()
  const things = useQuery({
    queryKey: ['palette', text],
    queryFn: ({ signal }) => findThings(api, text, signal),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  })
  const found = text === '' ? [] : (things.data ?? [])
  return { found: [...pages, ...found], isSearching: text !== '' && things.isFetching }
}

function useFoundPages(text: string): Found[] {
  const words = useWords('shell')
  const wanted = text.toLocaleLowerCase()
  return routes.flatMap(({ path, title, rail, palette: icon = rail?.icon }) => {
    const name = words.pages[title]
    if (icon === undefined || !name.toLocaleLowerCase().includes(wanted)) return []
    return [{ kind: 'page' as const, id: path, name, icon, link: { to: path } }]
  })
}

/** Searches all kinds of objects; kinds that the user may not list are left out. */
async function findThings(api: Gangway, search: string, signal: AbortSignal): Promise<Found[]> {
  const found = await Promise.allSettled(
    [findAssets, findDevices, findModels].map((find) => find(api, search, signal)),
  )
  if (found.every(({ status }) => status === 'rejected')) throw (found[0] as PromiseRejectedResult).reason
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}

async function findAssets(api: Gangway, search: string, signal: AbortSignal): Promise<Found[]> {
  const assets = await api.get('/v1/assets', { query: { limit: MAX_OF_KIND, search }, signal })
  return assets.map(({ id, displayName }) => ({
    kind: 'asset' as const,
    id,
    name: displayName,
    detail: id,
    link: links.asset(id),
  }))
}

async function findDevices(api: Gangway, search: string, signal: AbortSignal): Promise<Found[]> {
  const devices = await api.get('/v1/provider-clients', { query: { limit: MAX_OF_KIND, search }, signal })
  return devices.map(({ id, providerId, displayName }) => ({
    kind: 'device' as const,
    id: `${providerId}/${id}`,
    name: displayName,
    detail: id,
    link: links.device(providerId, id),
  }))
}

async function findModels(api: Gangway, search: string, signal: AbortSignal): Promise<Found[]> {
  const models = await api.get('/v1/models', { query: { limit: MAX_OF_KIND, search }, signal })
  return models.map(({ id, displayName }) => ({
    kind: 'model' as const,
    id,
    name: displayName,
    detail: id,
    link: links.model(id),
  }))
}
