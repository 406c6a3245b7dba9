import type { Answer, Body } from '@gangway/client'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'
import type { BindingEntry } from './binding.ts'

const route = '/v1/assets/{assetId}/bindings/preview'
export type PreviewRequest = Body<'post', typeof route>
export type BindingPreview = Answer<'post', typeof route>

/** Each preview counts for the rate limit: it is requested after a pause in typing and refreshed rarely. */
const PAUSE_MS = 500
const REFRESH_MS = 30_000

export interface PreviewValues {
  /** Values in place of the last ones, by the names of the sources. */
  samples: Record<string, unknown>
  /** A value that goes out; undefined for none. */
  outgoing: unknown
}

/** Requests the preview of a draft after a pause in typing. */
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
    refetchInterval: REFRESH_MS,
    retry: false,
  })
  return {
    body,
    query,
    isIncomplete: !isComplete,
    isWaiting: asked !== JSON.stringify(body) || query.isFetching,
  }
}

const isWritten = ({ endpointId }: { endpointId: string }) => /^[^/]+\/[^/]+\/[^/]+\/./.test(endpointId)
