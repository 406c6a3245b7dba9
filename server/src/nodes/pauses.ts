/**
 * Notices that this process stood still: it was stopped, swapped out, or busy for a second. Its devices may have connected to
 * other nodes meanwhile and sent again what this node has received and not stored yet. [docs/operating#sessions-and-presence]
 */
import type { Peers } from './peers.ts'

export interface Pauses {
  /** Whether this node may still hold messages that devices have sent to another node since. Never where it is the only one. */
  isRecent(): boolean
  /** Looks for pauses until it is disposed of. */
  watch(): Disposable
}

/** No device gives up its connection sooner. */
const DEVICE_STAYS_MS = 1000
const LOOK_EVERY_MS = 250
/** As long as a message may wait for its commit. */
const RECENT_MS = 30_000

/** @param peers of this node */
export function createPauses(peers: Pick<Peers, 'exist'>): Pauses {
  let lookedAtMs = performance.now()
  let recentUntilMs = 0
  const look = () => {
    const nowMs = performance.now()
    if (nowMs - lookedAtMs > DEVICE_STAYS_MS) recentUntilMs = nowMs + RECENT_MS
    lookedAtMs = nowMs
  }
  return {
    isRecent: () => {
      if (!peers.exist) return false
      // What arrived during a pause is read before timers run.
      look()
      return lookedAtMs < recentUntilMs
    },
    watch: () => {
      // What came before belongs to the start, when there were no devices.
      lookedAtMs = performance.now()
      const timer = setInterval(look, LOOK_EVERY_MS)
      return { [Symbol.dispose]: () => clearInterval(timer) }
    },
  }
}
