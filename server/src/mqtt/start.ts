/** The MQTT side of the platform: devices connect, and what they say is stored before they hear that it was. */
import type { Context } from '../context.ts'
import { listenForChanges } from './changes.ts'
import { createGateway } from './gateway.ts'
import { listen } from './listeners.ts'

/** @returns once both ports accept connections */
export async function startMqtt(ctx: Context): Promise<AsyncDisposable> {
  const gateway = await createGateway(ctx, ctx.ingest)
  const changes = await listenForChanges(ctx, {
    onClientChanged: gateway.reviewClient,
    onProviderChanged: gateway.reviewAll,
    onConnected: gateway.reviewAll,
  })
  const listeners = await listen(ctx, gateway.accept).catch(async (error: unknown) => {
    await changes[Symbol.asyncDispose]()
    throw error
  })
  ctx.endpoints.mqtt = `mqtt://127.0.0.1:${listeners.mqttPort}`
  ctx.endpoints.mqtts = `mqtts://127.0.0.1:${listeners.mqttsPort}`
  return {
    [Symbol.asyncDispose]: async () => {
      await listeners[Symbol.asyncDispose]()
      await changes[Symbol.asyncDispose]()
      await gateway[Symbol.asyncDispose]()
    },
  }
}
