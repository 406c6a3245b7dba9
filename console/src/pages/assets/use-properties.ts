import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { useLatestValues } from '../../live/use-latest-values.ts'
import { withTimeout } from '../devices/timeout.ts'
import type { Properties } from '../devices/twin-changes.ts'

export const desiredRoute = '/v1/assets/{assetId}/properties/desired'

/** Desired and reported properties of an asset, read again when a device reports. */
export function useProperties(assetId: string) {
  const api = useApi()
  const { values } = useLatestValues([assetId])
  const reports = [...values.values()].filter(({ timeseriesType }) => timeseriesType === 'propertyReported')
  const newest = reports.reduce((latest, { time }) => (time > latest ? time : latest), '')
  const query = useQuery({
    queryKey: ['asset-properties', assetId, newest],
    queryFn: async ({ signal }) => {
      const options = { path: { assetId }, signal: withTimeout(signal) }
      const [desired, reported] = await Promise.all([
        api.get(desiredRoute, options),
        api.get('/v1/assets/{assetId}/properties/reported', options),
      ])
      return { desired: desired as Properties, reported: reported as Properties }
    },
    placeholderData: (previous) => previous,
  })
  return { ...query, reports }
}
