/** The longest time for which this thread's event loop was held, without the time in which other processes ran instead. */
import { existsSync, readFileSync } from 'node:fs'

export interface Hold {
  elapsedMs: number
  /** Processor time of the thread within it; the elapsed time where the system does not tell it. */
  cpuMs: number
}

const TICK_MS = 5
const SCHEDULE = '/proc/thread-self/schedstat'
const isLinux = existsSync(SCHEDULE)

let longest: Hold = { elapsedMs: 0, cpuMs: 0 }
let lastMs = performance.now()
let lastCpuMs = readCpuMs()

/** @returns milliseconds since the thread began */
function readCpuMs(): number {
  return isLinux ? Number.parseInt(readFileSync(SCHEDULE, 'latin1'), 10) / 1e6 : performance.now()
}

/** A timer that comes late was held up. It may have used the processor for other work within its own interval. */
function tick(): void {
  const [nowMs, cpuMs] = [performance.now(), readCpuMs()]
  const elapsedMs = Math.max(0, nowMs - lastMs - TICK_MS)
  const held = { elapsedMs, cpuMs: Math.min(elapsedMs, cpuMs - lastCpuMs) }
  longest = {
    elapsedMs: Math.max(longest.elapsedMs, held.elapsedMs),
    cpuMs: Math.max(longest.cpuMs, held.cpuMs),
  }
  ;[lastMs, lastCpuMs] = [nowMs, cpuMs]
}

setInterval(tick, TICK_MS).unref()

/** Returns the longest of both since the last call. */
export function longestHold(): Hold {
  const result = longest
  longest = { elapsedMs: 0, cpuMs: 0 }
  return result
}
