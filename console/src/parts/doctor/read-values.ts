import type { DeviceValues } from './use-device-values.ts'
import type { Finding } from './finding.ts'

const SHOWN_SIGNALS = 3

/** Converts the newest values of a device to one finding. */
export function readValues(values: DeviceValues): Finding[] {
  const newest = [...values.values()].map((events) => events.at(-1)!)
  if (newest.length === 0) return []
  const shown = newest.slice(0, SHOWN_SIGNALS)
  const text = shown.map(({ timeseriesName, value }) => `${timeseriesName} ${writeValue(value)}`).join(', ')
  return [
    {
      key: 'values',
      at: Math.max(...newest.map(({ time }) => Date.parse(time))),
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

function writeValue(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(Number(value.toPrecision(6))) : JSON.stringify(value)
}
