/** Divides long work on the event loop, so that other work runs in between. */
import { setImmediate } from 'node:timers/promises'

/** A short turn, because an incoming request passes the event loop several times and waits for a turn each time. */
const TURN_MS = 5

/** Waits only when the present turn has lasted long enough. */
export type Turn = () => Promise<void> | undefined

/**
 * @param nextTurn from `createTurns`, if several callers do such work at once; then the first turn is awaited too
 * @returns a function to await between two pieces of the work; it waits only when a turn has lasted long enough
 */
export function takeTurns(nextTurn?: () => Promise<void>): Turn {
  let startMs = nextTurn ? -Infinity : performance.now()
  return () => {
    if (performance.now() - startMs < TURN_MS) return undefined
    return (nextTurn ?? setImmediate)().then(() => void (startMs = performance.now()))
  }
}

/** @returns a function to await before a piece of work; in each turn of the event loop only one caller continues */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve()
  return () => (last = last.then(() => setImmediate()))
}
