/**
 * Some clients, mqtt.js among them, send unacknowledged messages again without the DUP flag, against [MQTT-3.3.1-1].
 * Their packet identifiers reveal this: a client that has restarted counts from 1, while one that continues counting has
 * kept its messages. Only the first messages of such a client on a connection are doubtful, and no message is lost by
 * this: it is left out only if the same packet identifier with the same payload was stored within the last minutes.
 */

/** No known client has more messages than this waiting for acknowledgements. */
const DOUBTFUL_MESSAGES = 1000
const DOUBTFUL_MS = 30_000

/** The messages with a packet identifier that arrived on a connection so far. */
export interface SentSoFar {
  sinceMs: number
  count: number
  goesOnCounting: boolean
  lastPacketId: number
  /** The arrival time of the message with `lastPacketId`. */
  lastMs: number
}

export const nothingSent = (): SentSoFar => ({
  sinceMs: Date.now(),
  count: 0,
  goesOnCounting: false,
  lastPacketId: 0,
  lastMs: 0,
})

/**
 * Returns the arrival time of a message; must be called before `mayBeSentAgain`. A client that always uses the same
 * identifier may send equal messages within a millisecond; the time distinguishes them.
 */
export function arrivalMs(sent: SentSoFar, packetId: number, nowMs: number): number {
  sent.lastMs = packetId === sent.lastPacketId ? Math.max(nowMs, sent.lastMs + 1) : nowMs
  return sent.lastMs
}

/** Records the message, and returns whether it may have arrived on an earlier connection already. */
export function mayBeSentAgain(sent: SentSoFar, packetId: number, nowMs: number): boolean {
  // A client that always uses the same identifier does not count at all.
  const counts = packetId !== sent.lastPacketId
  sent.lastPacketId = packetId
  sent.count++
  if (sent.count === 1) sent.goesOnCounting = packetId !== 1
  else sent.goesOnCounting &&= counts
  return sent.goesOnCounting && sent.count <= DOUBTFUL_MESSAGES && nowMs - sent.sinceMs < DOUBTFUL_MS
}
