/** Times of the real-time connection, in milliseconds; tests set shorter ones. */
export const defaultTiming = {
  /** Silence after which the server is asked for a sign of life. */
  quietMs: 2000,
  /** The time that it has for it. Together, a dead connection is noticed within five seconds. */
  answerMs: 2000,
  /** From the start of an attempt to connect until the server's first message. */
  openMs: 10_000,
  /** The server keeps a broken connection for 30 s. [docs/push#connect] */
  resumeMs: 30_000,
  /** Messages are acknowledged at least this often. */
  acknowledgeMs: 1000,
  /** The longest wait before the first attempt to reconnect; it doubles with each attempt. */
  retryMs: 1000,
  maxRetryMs: 15_000,
  /** A connection that has lasted this long starts the series of attempts again. */
  steadyMs: 10_000,
  /** A subscription lives for 600 s. [docs/push#subscriptions] */
  renewSubscriptionMs: 300_000,
  /** How long before the expiry of the token a connection is replaced. */
  replaceMs: 60_000,
}

export type Timing = typeof defaultTiming

/** Full jitter: any time up to the limit, so that clients do not come back at the same moment. */
export const chooseDelay = ({ retryMs, maxRetryMs }: Timing, attempts: number): number =>
  Math.random() * Math.min(maxRetryMs, retryMs * 2 ** attempts)
