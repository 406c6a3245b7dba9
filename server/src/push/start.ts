/** Accepts real-time connections on the port of the HTTP routes, and starts the periodic checks. */
import type { Server } from 'node:http'
import type { Context } from '../context.ts'
import { endConnection, GOING_AWAY } from './connections/connection.ts'
import { expireSubscriptions } from './subscriptions/end-subscription.ts'
import { pingAll } from './connections/open-connection.ts'
import { joinSampleRelay } from './delivery/sample-relay.ts'
import { createSockets, upgrade } from './connections/upgrade.ts'

const EXPIRE_EVERY_MS = 1000

/** @param servers the HTTP servers of the platform's routes */
export async function startPush(ctx: Context, servers: Server[]): Promise<AsyncDisposable> {
  const { push, config } = ctx
  push.relay = config.natsUrl ? await joinSampleRelay(ctx, config.natsUrl) : undefined
  const sockets = createSockets()
  const onUpgrade: Parameters<Server['on']>[1] = (request, stream, head) =>
    void upgrade(ctx, sockets, { request, stream, head })
  for (const server of servers) server.on('upgrade', onUpgrade)
  const timers = [
    setInterval(() => expireSubscriptions(push), Math.min(EXPIRE_EVERY_MS, push.limits.subscriptionMs / 4)),
    setInterval(() => pingAll(push), push.limits.pingMs),
    setInterval(() => push.revalidation.request('everything'), push.limits.revalidateMs),
  ]
  return {
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) server.off('upgrade', onUpgrade)
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
