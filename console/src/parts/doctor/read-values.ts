import type { TelemetryEvent } from '@gangway/client'
import type { DeviceValues } from './use-device-values.ts'
import type { Finding } from './finding.ts'

const SHOWN_SIGNALS = 3
/** The clocks of this browser and of the server may differ by this. */
const CLOCK_TOLERANCE_MS = 60_000

/**
 * Converts the newest values of a device to one finding at the time at which the last of them arrived. The clock of a
 * device may be wrong, so that the time of a value does not tell whether it came before or after a fault.
 */
export function readValues(values: DeviceValues, nowMs = Date.now()): Finding[] {
  const newest = [...values.values()].map((events) => events.at(-1)!)
  if (newest.length === 0) return []
  const arrivals = [...values.values()].flat().map(readArrival)
  // A value that was stored before the page was opened has no time of arrival. It did not arrive in the future.
  const known = arrivals.filter((ms) => ms <= nowMs + CLOCK_TOLERANCE_MS)
  const shown = newest.slice(0, SHOWN_SIGNALS)
  const text = shown.map(({ timeseriesName, value }) => `${timeseriesName} ${writeValue(value)}`).join(', ')
  return [
    {
      key: 'values',
      at: Math.max(...(known.length > 0 ? known : arrivals)),
      ...(known.length === 0 && { hasUnknownTime: true }),
      state: 'good',
      stage: 'value',
      event: 'value',
      code: 'value_stored',
      message: newest.length > SHOWN_SIGNALS ? `${text}, …` : text,
      advice: null,
      count: 1,
      address: null,
      cures: [],
    },
  ]
}

const readArrival = ({ receivedAt, time }: TelemetryEvent) => Date.parse(receivedAt ?? time)

function writeValue(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(Number(value.toPrecision(6))) : JSON.stringify(value)
}
