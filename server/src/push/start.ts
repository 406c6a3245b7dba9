/** Accepts real-time connections on the port of the HTTP routes, and starts the periodic checks. */
import type { Context } from '../context.ts'
import type { Upgrades } from '../http/upgrades.ts'
import { endConnection, GOING_AWAY } from './connections/connection.ts'
import { usesNats } from '../lib/nats.ts'
import { expireSubscriptions } from './subscriptions/end-subscription.ts'
import { pingAll } from './connections/open-connection.ts'
import { joinSampleRelay } from './delivery/sample-relay.ts'
import { clientPaths, createSockets, upgrade } from './connections/upgrade.ts'

const EXPIRE_EVERY_MS = 1000

/** @param upgrades of the HTTP server of the platform's routes; without it nobody connects */
export async function startPush(ctx: Context, upgrades?: Upgrades): Promise<AsyncDisposable> {
  const { push, config } = ctx
  push.relay = usesNats(config) ? await joinSampleRelay(ctx, config) : undefined
  const sockets = createSockets()
  const stopServing = upgrades?.serve(clientPaths, (request) => void upgrade(ctx, sockets, request))
  const timers = [
    setInterval(() => expireSubscriptions(push), Math.min(EXPIRE_EVERY_MS, push.limits.subscriptionMs / 4)),
    setInterval(() => pingAll(push), push.limits.pingMs),
    setInterval(() => push.revalidation.request('everything'), push.limits.revalidateMs),
  ]
  return {
    [Symbol.asyncDispose]: async () => {
      stopServing?.()
      // Connections that are being opened at this moment are refused.
      sockets.close()
      timers.forEach((timer) => clearInterval(timer))
      for (const connection of push.connections.values())
        endConnection(push, connection, GOING_AWAY, 'The server stops.')
      await push.relay?.[Symbol.asyncDispose]()
      push.relay = undefined
    },
  }
}
