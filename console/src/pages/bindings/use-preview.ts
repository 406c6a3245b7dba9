import type { Answer, Body } from '@gangway/client'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { spreadRequests, useRequestLimit } from '../../api/request-limit.ts'
import { createThrottle } from '../../charts/throttle.ts'
import { useLiveStore } from '../../live/LiveProvider.tsx'
import { watchValues } from '../../live/watch-values.ts'
import { withTimeout } from '../devices/timeout.ts'
import { formatSignal, parseSignal } from '../explore/signal.ts'
import type { BindingEntry } from './binding.ts'

const route = '/v1/assets/{assetId}/bindings/preview'
export type PreviewRequest = Body<'post', typeof route>
export type BindingPreview = Answer<'post', typeof route>

/** Each preview counts for the rate limit: it is requested after a pause in typing. */
const PAUSE_MS = 500
/** Least interval between two previews that values cause. */
const VALUES_MS = 2000

export interface PreviewValues {
  /** Values in place of the last ones, by the names of the sources. */
  samples: Record<string, unknown>
  /** A value that goes out; undefined for none. */
  outgoing: unknown
}

/** Requests the preview of a draft after a pause in typing, and as values of its sources come. */
export function usePreview(
  assetId: string,
  entry: BindingEntry | undefined,
  { samples, outgoing }: PreviewValues,
) {
  const api = useApi()
  const isComplete =
    entry !== undefined && entry.remoteEndpointIds.length > 0 && entry.remoteEndpointIds.every(isWritten)
  // A command has only a preview of what goes out.
  const hasPreview = entry?.localEndpointId.split('/')[2] !== 'command' || outgoing !== undefined
  const body: PreviewRequest | null =
    isComplete && hasPreview
      ? { binding: entry, values: samples, ...(outgoing !== undefined && { outgoingValue: outgoing }) }
      : null
  const [asked] = useDebouncedValue(JSON.stringify(body), PAUSE_MS)
  const query = useQuery({
    queryKey: ['binding-preview', assetId, asked],
    enabled: asked !== 'null',
    queryFn: ({ signal }) =>
      api.post(route, {
        path: { assetId },
        body: JSON.parse(asked) as PreviewRequest,
        signal: withTimeout(signal),
      }),
    placeholderData: keepPreviousData,
    staleTime: 5000,
    retry: false,
  })
  useSourceValues(asked, query.refetch)
  return {
    body,
    query,
    isIncomplete: !isComplete,
    isWaiting: asked !== JSON.stringify(body) || query.isFetching,
  }
}

/** Calls the function as values of the sources come. @param request the preview, as JSON; `null` if there is none */
function useSourceValues(request: string, onValue: () => unknown) {
  const live = useLiveStore()
  const leastMs = Math.max(VALUES_MS, spreadRequests(1, useRequestLimit()))
  useEffect(() => {
    const binding = (JSON.parse(request) as PreviewRequest | null)?.binding
    if (binding === undefined) return
    // A value that a transform takes is not sent under its device: what becomes of it says that one came.
    const ids = [binding.localEndpointId, ...binding.remoteEndpointIds.map(({ endpointId }) => endpointId)]
    const assets = [...new Set(ids.map((id) => parseSignal(id)?.ownerId).filter((id) => id !== undefined))]
    if (assets.length === 0) return
    const reading = createThrottle(onValue, () => leastMs)
    const subscription = watchValues(live, { assets }, (event) => {
      if (ids.includes(formatSignal(event))) reading.call()
    })
    // The preview itself is refused with the reason.
    subscription.started.catch(() => {})
    return () => {
      reading.cancel()
      subscription.stop()
    }
  }, [live, leastMs, request, onValue])
}

const isWritten = ({ endpointId }: { endpointId: string }) => /^[^/]+\/[^/]+\/[^/]+\/./.test(endpointId)
