/**
 * Reads the telemetry object: its keys are signal names. The optional key `timestamp` is the time of measurement and
 * not a signal. [docs/mqtt#telemetry]
 */
import { isStorableTime, parseTimestamp, timestampHint } from '../../timeseries/timestamp.ts'
import { UnreadableError } from '../unreadable.ts'
import { MAX_SIGNALS, tooManySignals } from '../signal-limit.ts'
import type { Reading } from './parser.ts'

/** @throws UnreadableError */
export function readObject(message: Record<string, unknown>): Reading {
  const { timestamp } = message
  const all = Object.keys(message)
  // Before the values are listed: tens of thousands of look-ups would be for nothing. One may be the timestamp.
  if (all.length > MAX_SIGNALS + 1) throw tooManySignals()
  const names = timestamp === undefined ? all : all.filter((name) => name !== 'timestamp')
  return {
    timeMs: timestamp === undefined ? undefined : readTime(timestamp, 'timestamp'),
    names,
    values: names.map((name) => message[name]),
  }
}

/**
 * @param where location in the payload, for the error
 * @throws UnreadableError
 */
export function readTime(timestamp: unknown, where: string): number {
  const timeMs = typeof timestamp === 'string' ? parseTimestamp(timestamp) : undefined
  if (timeMs === undefined) throw new UnreadableError('bad_timestamp', `${where} must be ${timestampHint}.`)
  return timeMs
}

/**
 * @param ms milliseconds since 1970; fractions are rounded
 * @throws UnreadableError
 */
export function epochTime(ms: number, where: string): number {
  const timeMs = Math.round(ms)
  if (!isStorableTime(timeMs))
    throw new UnreadableError('bad_timestamp', `${where} is not a time of the years 1 to 9999.`)
  return timeMs
}
