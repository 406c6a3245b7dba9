/**
 * ISO 8601 durations. Months and days have no fixed length (months differ, and a day may have 23 or 25 hours), so the
 * calendar part is kept apart from the exact part.
 */
export interface Duration {
  /** Calendar: years count as 12. */
  months: number
  /** Calendar: weeks count as 7. */
  days: number
  /** Exact. */
  ms: number
}

const MAX_TEXT = 64
const MAX_YEARS = 1000
const MAX_DAYS = MAX_YEARS * 365
const DAY_MS = 86_400_000

const count = '(\\d{1,15})'
const amount = '(\\d{1,15}(?:[.,]\\d{1,15})?)'
const pattern = new RegExp(
  `^P(?:${count}Y)?(?:${count}M)?(?:${count}W)?(?:${count}D)?(?:T(?:${amount}H)?(?:${amount}M)?(?:${amount}S)?)?$`,
)

/** @returns a sentence part on what is wrong, to follow the name of the field */
export function parseDuration(text: string): { duration: Duration } | { problem: string } {
  if (text.length > MAX_TEXT) return { problem: `must have at most ${MAX_TEXT} characters` }
  if (/^[+-]/.test(text)) return { problem: 'must be a positive duration without a sign' }
  const parts = pattern.exec(text)?.slice(1)
  if (!parts || /[PT]$/.test(text)) return { problem: wrongShape(text) }
  if (hasInnerFraction(parts))
    return { problem: 'may have a fraction in its last part only, as in PT1M30.5S' }

  const [years, months, weeks, days, hours, minutes, seconds] = parts.map(parseNumber) as Seven
  const exact = (hours * 3600 + minutes * 60 + seconds) * 1000
  const ms = Math.round(exact)
  if (Math.abs(exact - ms) > 1e-6) return { problem: 'must not be finer than a millisecond' }
  return checked({ months: years * 12 + months, days: weeks * 7 + days, ms })
}

type Seven = [number, number, number, number, number, number, number]

const parseNumber = (part: string | undefined) => Number((part ?? '0').replace(',', '.'))

function wrongShape(text: string) {
  if (/^P[\dYMWD]*\d[.,]/.test(text))
    return 'may have a fraction in hours, minutes and seconds only (PT12H, not P0.5D)'
  return 'must be an ISO 8601 duration such as PT15M, PT1H, P1D, P1M or P1Y'
}

function hasInnerFraction(parts: (string | undefined)[]) {
  const given = parts.filter((part) => part !== undefined)
  return given.slice(0, -1).some((part) => /[.,]/.test(part))
}

function checked(duration: Duration) {
  const { months, days, ms } = duration
  if (months === 0 && days === 0 && ms === 0) return { problem: 'must be longer than zero' }
  if (months > MAX_YEARS * 12 || days > MAX_DAYS || ms > MAX_DAYS * DAY_MS)
    return { problem: `must not be longer than ${MAX_YEARS} years` }
  return { duration }
}
