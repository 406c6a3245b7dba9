/** How much of anything the push takes; tests take less. */
export type Limits = ReturnType<typeof defaultLimits>

export const defaultLimits = () => ({
  /** [docs/push#subscriptions] */
  subscriptionMs: 600_000,
  /** How long a negotiated token opens a connection. */
  tokenSeconds: 300,
  /** How long a connection that broke may come back to what it has missed. */
  recoveryMs: 30_000,
  /** Sent over a reliable connection and not acknowledged yet. */
  maxUnackedBytes: 8 * 1024 * 1024,
  /** Given to a socket that has not taken it yet. What a connection missed fits in, as it is sent again at once. */
  maxBufferedBytes: 16 * 1024 * 1024,
  /** Of what arrives while a subscription's last values are fetched. */
  maxPendingBytes: 8 * 1024 * 1024,
  connectionsPerUser: 100,
  subscriptionsPerConnection: 1000,
  /** Over all subscriptions of a user. */
  assetsPerUser: 200_000,
  /** A connection that does not answer until the next one is taken for broken. */
  pingMs: 20_000,
  /** Changes of permissions are heard of; this is for those that were not. */
  revalidateMs: 30_000,
})
