/**
 * Some clients, mqtt.js among them, send again what was not acknowledged without saying so, against [MQTT-3.3.1-1]. Their
 * packet identifiers tell: a client that starts anew counts from 1, while one that goes on counting has kept its
 * messages. Only what such a client says first on a connection is in doubt, and doubt costs it nothing: a message is left
 * out only where the same packet identifier with the same payload was stored within the last minutes.
 */

/** A client with more than this waiting for acknowledgements is unheard of. */
const DOUBTFUL_MESSAGES = 1000
const DOUBTFUL_MS = 30_000

/** What came on a connection, of messages with a packet identifier. */
export interface SentSoFar {
  sinceMs: number
  count: number
  goesOnCounting: boolean
  lastPacketId: number
  /** When that one arrived. */
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
 * When a message arrived, called before `mayBeSentAgain`. A client that uses one identifier again and again may send equal
 * messages within a millisecond: the time keeps them apart.
 */
export function arrivalMs(sent: SentSoFar, packetId: number, nowMs: number): number {
  sent.lastMs = packetId === sent.lastPacketId ? Math.max(nowMs, sent.lastMs + 1) : nowMs
  return sent.lastMs
}

/** Notes the message, and says whether it may be one that an earlier connection brought already. */
export function mayBeSentAgain(sent: SentSoFar, packetId: number, nowMs: number): boolean {
  // A client that uses one identifier again and again does not count at all.
  const counts = packetId !== sent.lastPacketId
  sent.lastPacketId = packetId
  sent.count++
  if (sent.count === 1) sent.goesOnCounting = packetId !== 1
  else sent.goesOnCounting &&= counts
  return sent.goesOnCounting && sent.count <= DOUBTFUL_MESSAGES && nowMs - sent.sinceMs < DOUBTFUL_MS
}
