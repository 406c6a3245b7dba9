/** The limits of push; tests set lower ones. */
export type Limits = ReturnType<typeof defaultLimits>

export const defaultLimits = () => ({
  /** [docs/push#subscriptions] */
  subscriptionMs: 600_000,
  /** The lifetime of a negotiated token. */
  tokenSeconds: 300,
  /** The time within which a broken connection can be resumed. */
  recoveryMs: 30_000,
  /** Data that were sent over a reliable connection and are not acknowledged yet. */
  maxUnackedBytes: 8 * 1024 * 1024,
  /** Data in the buffer of a socket. All unacknowledged messages fit in, because they are sent again at once. */
  maxBufferedBytes: 16 * 1024 * 1024,
  /** Updates that arrive while the last values of a subscription are read. */
  maxPendingBytes: 8 * 1024 * 1024,
  connectionsPerUser: 100,
  subscriptionsPerConnection: 1000,
  /** The limit of assets and names of signals for all subscriptions of a user together. */
  entriesPerUser: 200_000,
  /** The interval of pings. A connection that does not answer before the next ping is considered broken. */
  pingMs: 20_000,
  /** The interval at which all access is checked again, in case the notice of a change was lost. */
  revalidateMs: 30_000,
})
