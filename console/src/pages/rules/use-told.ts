/** Who would have been told of the activations of a backtest, by the notifications that name the saved rule. */
import { ApiError, type Answer, type Gangway } from '@gangway/client'
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'
import type { Activation } from './use-backtest.ts'

/** An account has 1000 requests an hour, and each asset is a request for each notification. */
const MOST_NOTIFICATIONS = 5
const MOST_ASSETS = 5
const KEPT_MS = 300_000
const PAGE = 1000

const recipientsRoute = '/v1/notifications/{notificationId}/recipients'
type Recipient = Answer<'get', typeof recipientsRoute>[number]

interface Told {
  userId: string
  name: string
  /** Number of messages if each activation is acknowledged at once. */
  times: number
  /** Why nothing came, or not each time. */
  reasons: string[]
}

interface AllTold {
  people: Told[]
  /** Number of notifications that name the rule, as far as they were read. */
  notifications: number
  /** Notifications whose recipients the user may not see. */
  closed: string[]
  /** Whether there are more assets, notifications or people than were asked about. */
  isCut: boolean
}

/** Asks for the assets with the most activations first; a limit that moves asks again only for other assets. */
export function useTold(ruleId: string | undefined, activations: readonly Activation[]) {
  const api = useApi()
  const cache = useQueryClient()
  const counts = countByAsset(activations)
  const asked = counts.slice(0, MOST_ASSETS).map(([id]) => id)
  const query = useQuery({
    queryKey: ['told', ruleId, asked.toSorted()],
    enabled: ruleId !== undefined && asked.length > 0,
    queryFn: ({ signal }) =>
      readRecipients({ api, cache }, { alarmId: ruleId!, assetIds: asked, signal: withTimeout(signal) }),
    staleTime: KEPT_MS,
    retry: false,
  })
  const told: AllTold | undefined = query.data && {
    people: sumUp(query.data.found, new Map(counts)),
    notifications: query.data.notifications,
    closed: query.data.closed,
    isCut: query.data.isCut || counts.length > MOST_ASSETS,
  }
  return { told, error: query.error, retry: () => void query.refetch() }
}

/** The number of activations of each asset, the highest first. */
export function countByAsset(activations: readonly Pick<Activation, 'entityId'>[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const { entityId } of activations) counts.set(entityId, (counts.get(entityId) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)
}

interface Found {
  assetId: string
  recipients: Pick<Recipient, 'userId' | 'displayName' | 'receives' | 'reason'>[]
}

/** Adds up what each user would have got: a message for each activation and each notification. */
export function sumUp(found: readonly Found[], counts: ReadonlyMap<string, number>): Told[] {
  const people = new Map<string, Told>()
  for (const { assetId, recipients } of found)
    for (const { userId, displayName, receives, reason } of recipients) {
      const { times, reasons } = people.get(userId) ?? { times: 0, reasons: [] }
      people.set(userId, {
        userId,
        name: displayName,
        times: times + (receives ? (counts.get(assetId) ?? 0) : 0),
        reasons: receives || reason === null ? reasons : [...new Set([...reasons, reason])],
      })
    }
  return [...people.values()].toSorted((a, b) => b.times - a.times || a.name.localeCompare(b.name))
}

async function readRecipients(
  { api, cache }: { api: Gangway; cache: QueryClient },
  { alarmId, assetIds, signal }: { alarmId: string; assetIds: string[]; signal: AbortSignal },
) {
  const named = await api.page('/v1/notifications', { query: { alarmId, limit: MOST_NOTIFICATIONS }, signal })
  const read = { found: [] as Found[], closed: [] as string[], isCut: named.cursor != null }
  for (const { id: notificationId, displayName } of named.items)
    try {
      for (const assetId of assetIds) {
        const { items, cursor } = await cache.fetchQuery({
          queryKey: ['recipients', 'told', notificationId, alarmId, assetId],
          queryFn: () =>
            api.page(recipientsRoute, {
              path: { notificationId },
              query: { alarmId, assetId, limit: PAGE },
              signal,
            }),
          staleTime: KEPT_MS,
          retry: false,
        })
        read.found.push({ assetId, recipients: items })
        read.isCut ||= cursor != null
      }
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'forbidden')) throw error
      read.closed.push(displayName)
    }
  return { ...read, notifications: named.items.length }
}
