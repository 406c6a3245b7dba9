import { ApiError, type Gangway } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import type { Attempt } from './finding.ts'
import { mayBeOurs, readAttempts } from './read-attempts.ts'
import { readConnections, readRefusal } from './read-client.ts'
import { readDeadLetters } from './read-dead-letters.ts'

export interface Patient {
  deviceId: string
  /** The provider on this server that has the device's client; null if the device uses another service. */
  providerId: string | null
  /** The group in which the doctor may register, provision and derive keys; absent for a client without onboarding. */
  groupId?: string
}

/** The trace can be requested often, because the onboarding service has no rate limit for it. */
const TRACE_MS = 2000
/**
 * Requests for the client count against the hourly rate limit of the user. They are frequent just after the page was
 * opened, and rare later, however often the device tries.
 */
const CLIENT_MS = { fresh: 4000, calm: 30_000 }
const FRESH_FOR_MS = 8 * 60_000
/** Maximum duration of a request; a later response would not be live. */
const TIMEOUT_MS = 15_000

/**
 * Loads all events of a device.
 *
 * @param watchSinceMs also includes unknown ids and failed TLS handshakes since then, which may be of this device
 */
export function useDoctor({ deviceId, providerId }: Patient, watchSinceMs?: number) {
  const api = useApi()
  const [openedMs] = useState(Date.now)
  const own = useQuery({
    queryKey: ['attempts', deviceId],
    queryFn: ({ signal }) => listAttempts(api, { device_id: deviceId, limit: 50 }, signal),
    refetchInterval: TRACE_MS,
    staleTime: 0,
  })
  const strangers = useQuery({
    queryKey: ['attempts', 'refused'],
    queryFn: ({ signal }) => listAttempts(api, { outcome: 'refused', limit: 50 }, signal),
    refetchInterval: TRACE_MS,
    staleTime: 0,
    enabled: watchSinceMs !== undefined,
  })
  const client = useQuery({
    queryKey: ['doctor', providerId, deviceId],
    queryFn: ({ signal }) => loadClient(api, { deviceId, providerId: providerId! }, signal),
    enabled: providerId !== null && own.data !== undefined,
    staleTime: 0,
    refetchInterval: () => (Date.now() - openedMs < FRESH_FOR_MS ? CLIENT_MS.fresh : CLIENT_MS.calm),
  })
  const findings = useMemo(() => {
    const watched = (strangers.data ?? []).filter(
      (attempt) =>
        watchSinceMs !== undefined &&
        (mayBeOurs(attempt, { deviceId, sinceMs: watchSinceMs }) ||
          (attempt.device_id === '' && Date.parse(attempt.started_at) >= watchSinceMs)),
    )
    return [...readAttempts([...(own.data ?? []), ...watched], deviceId), ...(client.data?.findings ?? [])]
  }, [own.data, strangers.data, client.data, deviceId, watchSinceMs])
  return {
    findings,
    /** Whether the user may not view the client, and so neither its connections nor its messages. */
    isClientHidden: client.data?.isHidden === true,
    isPending: own.isPending,
    error: own.error ?? client.error,
    refresh: () => {
      void own.refetch()
      void client.refetch()
    },
  }
}

async function listAttempts(
  api: Gangway,
  query: { device_id?: string; outcome?: Attempt['outcome']; limit: number },
  signal: AbortSignal,
): Promise<Attempt[]> {
  const { items } = await api.get('/api/onboarding/attempts', { query, signal, timeoutMs: TIMEOUT_MS })
  return items
}

async function loadClient(
  api: Gangway,
  { deviceId, providerId }: { deviceId: string; providerId: string },
  signal: AbortSignal,
) {
  const path = { providerId, clientId: deviceId }
  const options = { path, signal, timeoutMs: TIMEOUT_MS }
  try {
    const [client, connections, letters] = await Promise.all([
      api.get('/v1/providers/{providerId}/clients/{clientId}', options),
      api.get('/v1/providers/{providerId}/clients/{clientId}/connections', {
        ...options,
        query: { limit: 20 },
      }),
      api.get('/v1/providers/{providerId}/clients/{clientId}/dead-letters', {
        ...options,
        query: { limit: 20 },
      }),
    ])
    return {
      findings: [
        ...readRefusal(client.connection),
        ...readConnections(connections),
        ...readDeadLetters(letters),
      ],
      isHidden: false,
    }
  } catch (error) {
    // Before it is provisioned, a device has no client.
    if (error instanceof ApiError && error.status === 404) return null
    if (error instanceof ApiError && error.status === 403) return { findings: [], isHidden: true }
    throw error
  }
}
