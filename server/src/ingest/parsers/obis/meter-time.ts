/** Parses times of meters: `YYMMDDhhmmssX`, where X is S in summer and W in winter, or missing. [DSMR P1, 6.4] */
import { parseTimestamp } from '../../../timeseries/timestamp.ts'
import { UnreadableError } from '../../unreadable.ts'

const pattern = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)([SW])$/
const withoutSeason = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/
/** All fields are "not specified", as meters report for an M-Bus device that never answered. */
const UNSET = /^632525252525/

export const isMeterTime = (text: string): boolean => pattern.test(text)
/** Detects gas times of DSMR 2 and 3 meters, which are local times without a season letter, in summer too. */
export const isLocalTime = (text: string): boolean => /^\d{12}$/.test(text)

export interface MeterClock {
  /** UTC offset of winter time. */
  utcOffsetMinutes: number
  /** Converts times without S or W; such times are ignored where it is absent. */
  readZoneTime: ((wallMs: number) => number) | undefined
}

/**
 * @returns milliseconds since 1970, or undefined if the clock was never set or its zone is unknown
 * @throws UnreadableError for a time that does not exist
 */
export function meterTime(text: string, { utcOffsetMinutes, readZoneTime }: MeterClock): number | undefined {
  if (UNSET.test(text)) return undefined
  const [, year, month, day, hour, minute, second, season] = (pattern.exec(text) ?? withoutSeason.exec(text))!
  // A meter without a clock starts at 1970.
  const century = year! >= '70' ? '19' : '20'
  const local = parseTimestamp(`${century}${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (local === undefined)
    throw new UnreadableError('bad_timestamp', `${text} is not a time: YYMMDDhhmmss with S or W.`)
  if (!season) return readZoneTime?.(local)
  return local - (utcOffsetMinutes + (season === 'S' ? 60 : 0)) * 60_000
}
