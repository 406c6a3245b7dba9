import type { Gangway } from '@gangway/client'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { Failed, Loading } from '../../../parts/State.tsx'
import { text, useUrlState } from '../../../url-state.ts'
import { SectionNav } from '../Section.tsx'
import { Flow } from './Flow.tsx'
import type { Known } from './setup.ts'

const fields = { group: text() }
const PAGE = 100

/** Guides the user from an empty installation to the first value of a device. */
export default function FirstDevice() {
  const api = useApi()
  const cache = useQueryClient()
  const [{ group: groupId }] = useUrlState(fields)
  const known = useQuery({
    queryKey: ['first-device', groupId],
    queryFn: ({ signal }) => readKnown(api, groupId, signal),
    placeholderData: keepPreviousData,
  })
  if (known.isPending) return <Loading />
  if (known.data === undefined)
    return <Failed isPage error={known.error} onRetry={() => void known.refetch()} />
  return (
    <>
      <SectionNav />
      <Flow
        known={known.data}
        onChanged={() => void cache.invalidateQueries({ queryKey: ['first-device'] })}
      />
    </>
  )
}

/** Lists have their first page only, so that the chosen group and its target are read by their ids. */
async function readKnown(api: Gangway, groupId: string, signal: AbortSignal): Promise<Known> {
  const query = { limit: PAGE }
  const [targets, groups, endpoints, group] = await Promise.all([
    api.page('/api/routing-targets', { query, signal }),
    api.page('/api/enrollment-groups', { query, signal }),
    api.get('/v1/endpoints', { signal }),
    groupId === '' ? undefined : api.get('/api/enrollment-groups/{id}', { path: { id: groupId }, signal }),
  ])
  const targetId = group?.routing_target_id
  const isListed = targetId === undefined || targets.items.some(({ id }) => id === targetId)
  const target = isListed
    ? undefined
    : await api.get('/api/routing-targets/{id}', { path: { id: targetId }, signal })
  return {
    targets: addMissing(targets.items, target),
    groups: addMissing(groups.items, group),
    endpoints,
    isCut: targets.cursor !== null || groups.cursor !== null,
  }
}

const addMissing = <Item extends { id: string }>(items: Item[], item: Item | undefined): Item[] =>
  item === undefined ? items : [...items.filter(({ id }) => id !== item.id), item]
