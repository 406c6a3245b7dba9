import { createContext, createElement, type ReactNode, use, useMemo } from 'react'
import { usePreferences } from './preferences.tsx'
import { useLanguage } from './words/words.tsx'

export interface Format {
  locale: string
  /** The IANA name of the zone in which times are shown. */
  zone: string
  number: (value: number, options?: Intl.NumberFormatOptions) => string
  /** Such as `2.1 kB`. */
  bytes: (count: number) => string
  percent: (share: number) => string
  time: (at: Instant) => string
  date: (at: Instant) => string
  /** Date, time with seconds, and the zone. */
  full: (at: Instant) => string
  /** `4 min ago` up to a day, the date and time beyond. */
  relative: (at: Instant, now: number) => string
  /** Such as `2 h 5 min`. */
  duration: (milliseconds: number) => string
}

export type Instant = number | string | Date

const FormatContext = createContext<Format | null>(null)

/** One format for all components: hundreds of them would take longer to make than to render. */
export function FormatProvider({ children }: { children: ReactNode }) {
  const language = useLanguage()
  const { preferences } = usePreferences()
  const value = useMemo(() => createFormat(language, preferences.zone), [language, preferences.zone])
  return createElement(FormatContext, { value }, children)
}

/** Numbers, dates and zones in the present language and zone. */
export function useFormat(): Format {
  const format = use(FormatContext)
  if (format === null) throw new Error('useFormat needs a FormatProvider')
  return format
}

export const systemZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

function createFormat(language: string, chosenZone: string): Format {
  // A browser in Zurich or Sydney knows better how its user writes dates than the language alone does.
  const locale = navigator.languages.find((tag) => tag.split('-')[0] === language && tag.includes('-'))
  const tag = locale ?? (language === 'en' ? 'en-GB' : language)
  const zone = chosenZone === 'system' ? systemZone() : chosenZone
  const times = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(tag, { timeZone: zone, hourCycle: 'h23', ...options })
  const time = times({ hour: '2-digit', minute: '2-digit', second: '2-digit' })
  const date = times({ dateStyle: 'medium' })
  const short = times({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
  const full = times({
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  })
  const ago = new Intl.RelativeTimeFormat(tag, { numeric: 'always', style: 'short' })
  const numbers = new Map<string, Intl.NumberFormat>()
  const number = (value: number, options: Intl.NumberFormatOptions = {}) => {
    const key = JSON.stringify(options)
    const known = numbers.get(key) ?? new Intl.NumberFormat(tag, { maximumFractionDigits: 3, ...options })
    numbers.set(key, known)
    return known.format(value)
  }
  return {
    locale: tag,
    zone,
    number,
    bytes: (count) => formatBytes(count, number),
    percent: (share) => number(share, { style: 'percent', maximumFractionDigits: 1 }),
    time: (at) => time.format(new Date(at)),
    date: (at) => date.format(new Date(at)),
    full: (at) => full.format(new Date(at)),
    relative: (at, now) => formatRelative(new Date(at), now, { ago, short, date }),
    duration: (milliseconds) => formatDuration(milliseconds, number),
  }
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const HALF_YEAR = 183 * DAY

function formatRelative(
  at: Date,
  now: number,
  {
    ago,
    short,
    date,
  }: { ago: Intl.RelativeTimeFormat; short: Intl.DateTimeFormat; date: Intl.DateTimeFormat },
) {
  const difference = at.getTime() - now
  const size = Math.abs(difference)
  // Without its year, a day of another year would be taken for the next or the last one.
  if (size >= HALF_YEAR) return date.format(at)
  if (size >= DAY) return short.format(at)
  if (size >= HOUR) return ago.format(Math.trunc(difference / HOUR), 'hour')
  if (size >= MINUTE) return ago.format(Math.trunc(difference / MINUTE), 'minute')
  return ago.format(Math.trunc(difference / SECOND), 'second')
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']

function formatBytes(count: number, number: Format['number']) {
  const step = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, Math.abs(count))) / 3))
  // The short form of byte has no plural: 16 byte.
  const unitDisplay = step === 0 ? 'long' : 'short'
  const options = { style: 'unit', unit: byteUnits[step]!, unitDisplay, maximumFractionDigits: 1 }
  return number(count / 1000 ** step, options as Intl.NumberFormatOptions)
}

function formatDuration(milliseconds: number, number: Format['number']) {
  const steps: [string, number][] = [
    ['day', DAY],
    ['hour', HOUR],
    ['minute', MINUTE],
    ['second', SECOND],
  ]
  const unit = (count: number, name: string) =>
    number(count, { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: 0 })
  const first = steps.findIndex(([, size]) => milliseconds >= size)
  if (first === -1) return unit(milliseconds, 'millisecond')
  const [name, size] = steps[first]!
  const count = Math.floor(milliseconds / size)
  const next = steps[first + 1]
  const rest = next === undefined ? 0 : Math.floor((milliseconds - count * size) / next[1])
  return rest === 0 ? unit(count, name) : `${unit(count, name)} ${unit(rest, next![0])}`
}
