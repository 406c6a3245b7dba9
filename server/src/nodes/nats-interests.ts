/**
 * The owners whose messages this node receives by NATS. Each has subjects of its own, so that only nodes with an interest
 * receive its messages.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Subscription } from '@nats-io/transport-node'
import type { Interests } from './transport.ts'

interface Connection {
  subscribe(owner: string): Subscription
  /** Resolves once NATS knows all subscriptions; at once where it is away, and reads them when it is back. */
  flush(): Promise<void>
}

/** A NATS that hangs holds up those who wait no longer than this. */
const SETTLE_MS = 500

export interface NatsInterests extends Interests {
  /** Subscribes also to the owners that were added before. */
  connect(connection: Connection): void
}

export function createNatsInterests(): NatsInterests {
  /** By owner; undefined before the node joins. */
  const subscriptions = new Map<string, Subscription | undefined>()
  let connection: Connection | undefined
  /** Whether NATS may not know all subscriptions yet. */
  let isUnsettled = false
  let settling: Promise<void> | undefined

  async function settle() {
    while (isUnsettled) {
      isUnsettled = false
      // It rejects where NATS is lost meanwhile: what was missed is read when it is back.
      if (connection)
        await Promise.race([connection.flush(), sleep(SETTLE_MS, undefined, { ref: false })]).catch(() => {})
    }
    settling = undefined
  }

  return {
    add(owner) {
      subscriptions.set(owner, connection?.subscribe(owner))
      isUnsettled = true
    },
    delete(owner) {
      subscriptions.get(owner)?.unsubscribe()
      subscriptions.delete(owner)
    },
    settled: () => (settling ??= isUnsettled ? settle() : undefined) ?? Promise.resolve(),
    connect(made) {
      connection = made
      for (const owner of subscriptions.keys()) subscriptions.set(owner, made.subscribe(owner))
    },
  }
}
