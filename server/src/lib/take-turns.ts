/** Long work on the event loop, in turns with everything else that waits there. */
import { setImmediate } from 'node:timers/promises'

const TURN_MS = 10

/** @returns what is awaited between two pieces of the work: nothing, until a turn has lasted long enough */
export function takeTurns(): () => Promise<void> | undefined {
  let startMs = performance.now()
  return () => {
    if (performance.now() - startMs < TURN_MS) return undefined
    return setImmediate().then(() => void (startMs = performance.now()))
  }
}

/** @returns what is awaited before a piece of work: only one of all that wait goes on in a turn of the event loop */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve()
  return () => (last = last.then(() => setImmediate()))
}
