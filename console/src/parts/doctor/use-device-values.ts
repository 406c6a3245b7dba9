import type { TelemetryEvent } from '@gangway/client'
import { useEffect, useState } from 'react'
import { useLiveStore } from '../../live/LiveProvider.tsx'
import { watchValues } from '../../live/watch-values.ts'

/** The last values of each signal of a device, oldest first, updated live. */
export type DeviceValues = ReadonlyMap<string, TelemetryEvent[]>

const KEPT = 300

/** @param deviceId null while the device has no client */
export function useDeviceValues(deviceId: string | null): DeviceValues {
  const live = useLiveStore()
  const [values, setValues] = useState<DeviceValues>(new Map())
  useEffect(() => {
    if (deviceId === null) return
    const subscription = watchValues(live, { assets: [deviceId] }, (event) =>
      setValues((present) => withEvent(present, event)),
    )
    // The doctor shows the refusal with the device's client.
    subscription.started.catch(() => {})
    return () => {
      subscription.stop()
      setValues(new Map())
    }
  }, [live, deviceId])
  return values
}

function withEvent(present: DeviceValues, event: TelemetryEvent): DeviceValues {
  if (event.timeseriesType !== 'telemetry') return present
  const before = present.get(event.timeseriesName) ?? []
  if (before.some(({ time }) => time === event.time)) return present
  const next = [...before, event].toSorted((a, b) => a.time.localeCompare(b.time)).slice(-KEPT)
  return new Map([...present, [event.timeseriesName, next]])
}
