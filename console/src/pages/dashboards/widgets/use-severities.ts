import { useMemo } from 'react'
import type { Marker } from '../board/markers.ts'
import { MOST_OPEN, useAlarmStatuses } from './use-alarm-statuses.ts'

/** The greatest severity of the open alarms of each asset, and what is missing of them. */
export function useSeverities(markers: Marker[]) {
  const assets = useMemo(() => [...new Set(markers.map(({ assetId }) => assetId))], [markers])
  const { data, error } = useAlarmStatuses(false, { assets, alarmIds: undefined, minSeverity: 1 })
  const severities = useMemo(() => {
    const greatest = new Map<string, number>()
    for (const { entityId, severity } of data ?? [])
      greatest.set(entityId, Math.max(severity, greatest.get(entityId) ?? 0))
    return greatest
  }, [data])
  return {
    severities,
    error: data === undefined ? error : null,
    isCut: data !== undefined && data.length >= MOST_OPEN,
  }
}
