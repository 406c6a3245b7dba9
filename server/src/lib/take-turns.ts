/** Long work on the event loop, in turns with everything else that waits there. */
import { setImmediate } from 'node:timers/promises'

const TURN_MS = 10

/**
 * @param nextTurn of `createTurns`, where many do such work at once; then the first turn is awaited, too
 * @returns what is awaited between two pieces of the work: nothing, until a turn has lasted long enough
 */
export function takeTurns(nextTurn?: () => Promise<void>): () => Promise<void> | undefined {
  let startMs = nextTurn ? -Infinity : performance.now()
  return () => {
    if (performance.now() - startMs < TURN_MS) return undefined
    return (nextTurn ?? setImmediate)().then(() => void (startMs = performance.now()))
  }
}

/** @returns what is awaited before a piece of work: only one of all that wait goes on in a turn of the event loop */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve()
  return () => (last = last.then(() => setImmediate()))
}
