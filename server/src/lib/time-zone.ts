/** IANA time zones of the runtime. */

/** Accepts names only: PostgreSQL also accepts an offset such as +02:00, but inverts its sign. */
export function isTimeZone(name: string): boolean {
  // The usual zone: the runtime takes a millisecond to make a format.
  if (name === 'UTC') return true
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return false
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

/** IANA names that PostgreSQL reads as abbreviations, without a summer time, and the zones that they are links to. */
const links = new Map([
  ['CET', 'Europe/Brussels'],
  ['EET', 'Europe/Athens'],
  ['MET', 'Europe/Brussels'],
  ['WET', 'Europe/Lisbon'],
])
/** All other IANA names of three letters; they mean the same to PostgreSQL. */
const shortNames = new Set(['EST', 'GMT', 'HST', 'MST', 'PRC', 'ROC', 'ROK', 'UCT', 'UTC'])

/**
 * @returns the name of the zone in PostgreSQL; undefined if there is no such zone. The runtime knows further short names, such as
 * IST for India, that stand for other zones in PostgreSQL.
 */
export function findDatabaseZone(name: string): string | undefined {
  const short = name.toUpperCase()
  if (name.length === 3) return links.get(short) ?? (shortNames.has(short) ? name : undefined)
  return isTimeZone(name) ? name : undefined
}

/**
 * @returns a function from local time, given as if it were UTC, to milliseconds since 1970. Of an hour that occurs twice
 *   in autumn the earlier one is taken; a time that is skipped in spring is read with the offset before the change.
 */
export function zoneTimeReader(timeZone: string): (wallMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const offsetMs = (atMs: number) => {
    const parts = Object.fromEntries(
      format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]),
    ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>
    const { year, month, day, hour, minute, second } = parts
    return Date.UTC(year, month - 1, day, hour, minute, second) - atMs
  }
  return (wallMs) => {
    const dayMs = 24 * 3600 * 1000
    // No zone changes its offset twice within two days.
    const [before, after] = [offsetMs(wallMs - dayMs), offsetMs(wallMs + dayMs)]
    const early = wallMs - before
    return offsetMs(early) === before || offsetMs(wallMs - after) !== after ? early : wallMs - after
  }
}
