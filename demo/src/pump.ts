/** A simulated pump: it warms up while it runs, cools down while it stands, and its bearing wears. */
import type { Signals } from '@gangway/device'

const AMBIENT_CELSIUS = 18
const SECONDS_A_CYCLE = 120

/** A device behaves the same in every run. */
export function createPump(index: number) {
  const random = seededRandom(index + 1)
  const [duty, wear, phase] = [0.4 + 0.4 * random(), random(), random() * SECONDS_A_CYCLE]
  let celsius = AMBIENT_CELSIUS + 10 * random()
  return {
    /** @param seconds since the start of the demo */
    measure(seconds: number, elapsedSeconds: number): Signals {
      const running = ((seconds + phase) % SECONDS_A_CYCLE) / SECONDS_A_CYCLE < duty
      const goal = running ? 58 + 14 * wear : AMBIENT_CELSIUS
      celsius += (goal - celsius) * Math.min(1, elapsedSeconds / 30) + (random() - 0.5) * 0.6
      return {
        temperature: round(celsius),
        pressure: round(running ? 4.2 + 0.3 * Math.sin(seconds / 7) + 0.1 * random() : 0.2),
        vibration: round(running ? 1 + 2.5 * wear + 0.4 * random() : 0.05),
        running,
      }
    },
  }
}

const round = (value: number) => Math.round(value * 100) / 100

/** mulberry32 */
function seededRandom(seed: number) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
