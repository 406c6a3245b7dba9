/** Starts the MQTT gateway: devices connect, and their messages are stored before they are acknowledged. */
import type { Context } from '../context.ts'
import { joinNodes } from '../nodes/nodes.ts'
import { subscribeToCertificateChanges, subscribeToClientChanges } from './changes.ts'
import type { ServerLimits } from './connection/limits.ts'
import { createGateway, type Gateway } from './gateway.ts'
import type { GatewayNeeds } from './gateway-parts.ts'
import { listen } from './listeners/listeners.ts'

export interface Mqtt extends AsyncDisposable {
  gateway: Gateway
  /** Listens no more, and lets the devices go as `Gateway.handOver` does. */
  handOver(spreadMs?: number): Promise<void>
}

interface StartOptions {
  limits?: ServerLimits | undefined
  /** Ends the wait for the other nodes. */
  abort?: AbortSignal
}

/** This node joins the others before devices connect to it. @returns once both ports accept connections */
export async function startMqtt(
  ctx: Context,
  needs: GatewayNeeds,
  { limits, abort }: StartOptions = {},
): Promise<Mqtt> {
  const gateway = createGateway(ctx, needs, limits)
  subscribeToClientChanges(ctx, gateway)
  subscribeToCertificateChanges(ctx, gateway)
  const joined = await joinNodes(ctx.nodes, abort)
  const listeners = await listen(ctx, gateway.accept).catch(async (error: unknown) => {
    await joined[Symbol.asyncDispose]()
    throw error
  })
  ctx.endpoints.mqtt = `mqtt://127.0.0.1:${listeners.mqttPort}`
  ctx.endpoints.mqtts = `mqtts://127.0.0.1:${listeners.mqttsPort}`
  const handOver = async (spreadMs?: number) => {
    await listeners[Symbol.asyncDispose]()
    await gateway.handOver(spreadMs)
  }
  return {
    gateway,
    handOver,
    [Symbol.asyncDispose]: async () => {
      await handOver()
      await gateway[Symbol.asyncDispose]()
      // Until then this node says itself which devices have left, and other nodes need not find out.
      await joined[Symbol.asyncDispose]()
    },
  }
}
