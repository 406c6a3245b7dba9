/**
 * Redraws the live charts of a page in the same frames: a frame costs the browser nearly the same for one canvas as for
 * all, since it brings all of them to the screen again.
 */
export interface LiveClock {
  /** @param intervalMs the shortest time between two runs; rounded to one of `INTERVALS_MS` */
  add: (run: () => void, intervalMs: () => number) => Requested
}

export interface Requested {
  /** Requests a run at the next end of its interval. */
  request: () => void
  remove: () => void
}

/** Each is a multiple of the ones before, so that runs of different intervals fall together. */
const INTERVALS_MS = [125, 250, 500, 1000, 2000, 4000]

interface Entry {
  run: () => void
  intervalMs: () => number
  /** Infinity while none is requested. */
  dueMs: number
}

export function createLiveClock(): LiveClock {
  const entries = new Set<Entry>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let timerMs = Infinity
  /** The time at which the present runs began. Their requests count from it, however long they take. */
  let runningMs: number | undefined
  const schedule = (dueMs: number) => {
    if (dueMs >= timerMs) return
    clearTimeout(timer)
    timerMs = dueMs
    timer = setTimeout(runDue, dueMs - performance.now())
  }
  const runDue = () => {
    timerMs = Infinity
    // A timer may fire a little early.
    const nowMs = performance.now() + 1
    runningMs = nowMs
    for (const entry of entries)
      if (entry.dueMs <= nowMs) {
        entry.dueMs = Infinity
        entry.run()
      }
    runningMs = undefined
    schedule(Math.min(Infinity, ...[...entries].map(({ dueMs }) => dueMs)))
  }
  return {
    add: (run, intervalMs) => {
      const entry: Entry = { run, intervalMs, dueMs: Infinity }
      entries.add(entry)
      return {
        request: () => {
          if (entry.dueMs !== Infinity) return
          entry.dueMs = findEnd(runningMs ?? performance.now(), roundInterval(intervalMs()))
          schedule(entry.dueMs)
        },
        remove: () => entries.delete(entry),
      }
    },
  }
}

const roundInterval = (wantedMs: number) =>
  INTERVALS_MS.find((intervalMs) => intervalMs >= wantedMs) ?? INTERVALS_MS.at(-1)!

/** The end of the interval that contains a time; intervals begin at multiples of their length. */
const findEnd = (nowMs: number, intervalMs: number) => (Math.floor(nowMs / intervalMs) + 1) * intervalMs

/** The clock that all charts of the page share. */
export const pageClock: LiveClock = createLiveClock()
