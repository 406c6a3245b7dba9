/** Conversion between moments (milliseconds since 1970 in UTC) and the wall clock of a time zone. */
export interface Zone {
  /** An IANA name. */
  name: string
  /** Offset of the zone from UTC at a moment; positive if its clocks are ahead. */
  offsetMs: (at: number) => number
}

const QUARTER_HOUR_MS = 900_000
const DAY_MS = 86_400_000
const MAX_CACHED = 20_000

/** Creates a zone that caches one offset per quarter of an hour, since clocks change only at quarters. */
export function createZone(name: string): Zone {
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const offsets = new Map<number, number>()
  return {
    name,
    offsetMs: (at) => {
      const quarter = Math.floor(at / QUARTER_HOUR_MS)
      const known = offsets.get(quarter)
      if (known !== undefined) return known
      if (offsets.size >= MAX_CACHED) offsets.clear()
      const offset = readOffset(clock, quarter * QUARTER_HOUR_MS)
      offsets.set(quarter, offset)
      return offset
    },
  }
}

function readOffset(clock: Intl.DateTimeFormat, at: number): number {
  const parts = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, value]))
  const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year)
  const wall = new Date(0)
  wall.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day))
  wall.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second))
  return wall.getTime() - at
}

/** Wall time at a moment, in milliseconds since 1970 as if the zone were UTC. */
export const toWall = (zone: Zone, at: number): number => at + zone.offsetMs(at)

/**
 * The moment at which the wall clock shows a time. A time that is shown twice gives the first moment. A time that is
 * skipped gives the moment that is as long after the change as the time is after the start of the skipped hour.
 */
export function toMoment(zone: Zone, wall: number): number {
  const before = zone.offsetMs(wall - DAY_MS)
  const after = zone.offsetMs(wall + DAY_MS)
  const isTrue = (offset: number) => zone.offsetMs(wall - offset) === offset
  const moments = [before, after].filter(isTrue).map((offset) => wall - offset)
  return moments.length > 0 ? Math.min(...moments) : wall - before
}

/** Whether the wall clock shows the same time twice, because it is set back. */
export function isAmbiguous(zone: Zone, at: number): boolean {
  const offset = zone.offsetMs(at)
  const wall = at + offset
  return [zone.offsetMs(at - DAY_MS / 4), zone.offsetMs(at + DAY_MS / 4)].some(
    (other) => other !== offset && zone.offsetMs(wall - other) === other,
  )
}
