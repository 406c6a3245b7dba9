import type { Gangway } from '@gangway/client'
import { useQueries } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { groupByOwner, type Signal } from './signal.ts'

export interface OwnerZone {
  /** An IANA name. */
  zone: string
  /** The name of the asset or device that is in it. */
  owner: string
}

/** The property in which assets and devices say where their clock is. [docs/console#explore] */
const PROPERTY = 'timeZone'

/** The time zones of the assets and devices whose signals are shown; the first owner of each zone names it. */
export function useOwnerZones(signals: Signal[]): OwnerZone[] {
  const api = useApi()
  return useQueries({
    queries: [...groupByOwner(signals).keys()].map((ownerId) => ({
      queryKey: ['owner-zone', ownerId],
      // One that may not be seen, or is gone, has no zone to offer.
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await readAssetZone(api, ownerId, signal).catch(() => null)) ??
        (await readDeviceZone(api, ownerId, signal).catch(() => null)),
      staleTime: 300_000,
    })),
    combine: (results) => {
      const found = results.map(({ data }) => data ?? null).filter((one) => one !== null)
      return found.filter(({ zone }, index) => found.findIndex((other) => other.zone === zone) === index)
    },
  })
}

async function readAssetZone(api: Gangway, assetId: string, signal: AbortSignal): Promise<OwnerZone | null> {
  const options = { path: { assetId }, signal }
  const [{ displayName }, reported, desired] = await Promise.all([
    api.get('/v1/assets/{assetId}', options),
    api.get('/v1/assets/{assetId}/properties/reported', options),
    api.get('/v1/assets/{assetId}/properties/desired', options),
  ])
  return chooseZone(displayName, [reported, desired])
}

async function readDeviceZone(
  api: Gangway,
  clientId: string,
  signal: AbortSignal,
): Promise<OwnerZone | null> {
  const found = await api.get('/v1/provider-clients', { query: { search: clientId, limit: 100 }, signal })
  const client = found.find(({ id }) => id === clientId)
  if (client === undefined) return null
  const options = { path: { providerId: client.providerId, clientId }, signal }
  const [reported, desired] = await Promise.all([
    api.get('/v1/providers/{providerId}/clients/{clientId}/properties/reported', options),
    api.get('/v1/providers/{providerId}/clients/{clientId}/properties/desired', options),
  ])
  return chooseZone(client.displayName, [reported, desired])
}

/** A reported time zone has precedence over a desired one. */
export function chooseZone(owner: string, properties: object[]): OwnerZone | null {
  const zone = properties.map((one) => (one as Record<string, unknown>)[PROPERTY]).find(isZone)
  return zone === undefined ? null : { zone, owner }
}

/** Whether the browser knows the zone by this IANA name; an offset such as `+02:00` is none. */
function isZone(value: unknown): value is string {
  if (typeof value !== 'string' || !/^[A-Za-z]/.test(value)) return false
  try {
    return Intl.DateTimeFormat(undefined, { timeZone: value }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
