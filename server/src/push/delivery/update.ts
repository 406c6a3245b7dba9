/** An update of one series or one alarm, as it is pushed. */
import { isDeepStrictEqual } from 'node:util'
import type { AlarmStatus } from '../../alarms/statuses/alarm-change.ts'
import type { AlarmState } from '../../database/tables.ts'
import type { SeriesKey } from '../../timeseries/storage/series-key.ts'
import type { StoredSample } from '../../timeseries/storage/stored-sample.ts'

export interface Update {
  /** Identifies the series, or the alarm's activation. */
  key: string
  /** Grows from one update to the next: the time of a sample, or the step of an alarm. */
  position: number
  value: unknown
  /** The asset or provider client. */
  ownerId: string
  /** The name of the signal; undefined for an alarm. */
  name: string | undefined
  /** The fields of the pushed object except topic and subscription, as JSON without the opening brace. */
  json: string
}

/** A value whose time differs from its arrival by more than this names its arrival. Most do not, and stay short. */
const NAMED_DIFFERENCE_MS = 1000

type Signal = Pick<SeriesKey, 'ownerId' | 'componentId' | 'name' | 'type'>

/**
 * [docs/push#messages]
 * @param sample without `receivedAtMs` if it was read from the storage, which does not know it
 */
export function sampleUpdate(
  { ownerId, componentId, name, type }: Signal,
  {
    timeMs,
    value,
    receivedAtMs,
    traceparent,
  }: Pick<StoredSample, 'timeMs' | 'value' | 'receivedAtMs' | 'traceparent'>,
): Update {
  const series =
    `"assetId":${JSON.stringify(ownerId)},"componentId":${componentId ? JSON.stringify(componentId) : null},` +
    `"timeseriesName":${JSON.stringify(name)},"timeseriesType":"${type}"`
  const time = new Date(timeMs).toISOString()
  const trace = traceparent === undefined ? '' : `,"traceparent":"${traceparent}"`
  const isNamed = receivedAtMs !== undefined && Math.abs(receivedAtMs - timeMs) > NAMED_DIFFERENCE_MS
  const arrival = isNamed ? `,"receivedAt":"${new Date(receivedAtMs).toISOString()}"` : ''
  const json = `${series},"value":${JSON.stringify(value)},"time":"${time}"${arrival}${trace}}`
  return { key: series, position: timeMs, value, ownerId, name, json }
}

/** An activation moves only forward, along one of two ways. [docs/alarms#states] */
const steps: Record<AlarmState, number> = {
  active_unacknowledged: 0,
  active_acknowledged: 1,
  inactive_unacknowledged: 1,
  cleared: 2,
}

export const alarmUpdate = (status: AlarmStatus): Update => ({
  key: status.alarmStatusId,
  position: steps[status.state],
  value: status.state,
  ownerId: status.entityId,
  name: undefined,
  json: `"status":${JSON.stringify(status)}}`,
})

/** Whether the client has received this update already, or a newer one. */
export const isOutdated = (update: Update, sent: Pick<Update, 'position' | 'value'> | undefined): boolean =>
  sent !== undefined &&
  (update.position < sent.position ||
    (update.position === sent.position && isDeepStrictEqual(update.value, sent.value)))
