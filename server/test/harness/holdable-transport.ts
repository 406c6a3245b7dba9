/** The transport between nodes, of which a test can hold back the messages of a channel. */
import type { Context } from '../../src/context.ts'
import { createTransport } from '../../src/nodes/nodes.ts'
import type { Subscription, Transport } from '../../src/nodes/transport.ts'

export interface HoldableTransport extends Transport {
  /** From now on messages of the channel go to `onHeld` instead. */
  hold(channel: string, onHeld?: (payload: string) => void): Held
}

export interface Held {
  payloads: string[]
  /** Delivers messages from now on; messages that were held back are lost. */
  release(): void
  deliver(): Promise<void>
}

export function holdableTransport(ctx: Pick<Context, 'pool' | 'db' | 'log' | 'config'>): HoldableTransport {
  const transport = createTransport(ctx)
  const holders = new Map<string, (payload: string) => void>()
  const subscriptions = new Map<string, Subscription>()
  return {
    ...transport,
    subscribe: (channel, subscription) => {
      subscriptions.set(channel.name, subscription)
      transport.subscribe(channel, {
        ...subscription,
        onMessage: (payload) => (holders.get(channel.name) ?? subscription.onMessage)(payload),
      })
    },
    hold: (channel, onHeld = () => {}) => {
      const payloads: string[] = []
      holders.set(channel, (payload) => {
        payloads.push(payload)
        onHeld(payload)
      })
      return {
        payloads,
        release: () => void holders.delete(channel),
        deliver: async () => {
          for (const payload of payloads) await subscriptions.get(channel)!.onMessage(payload)
        },
      }
    },
  }
}
