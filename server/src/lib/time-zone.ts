/** IANA time zones, as the runtime knows them. */

/** Names only: PostgreSQL takes an offset such as +02:00 too, and turns its sign around. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return false
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

/**
 * @returns from what a clock on the wall shows, as if that were UTC, the milliseconds since 1970. An hour that comes twice
 *   in autumn is taken as the earlier one; a time that is left out in spring, as if the clock had not been changed yet.
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
