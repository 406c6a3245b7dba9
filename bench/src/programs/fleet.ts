/** Many devices in one process: they connect all at once, publish as fast as they may, or at a given rate. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, type DeviceKey, openConnection } from '../mqtt/connection.ts'
import { publishAtRate } from '../mqtt/publish-at-rate.ts'
import { publishInWindow } from '../mqtt/publish-in-window.ts'
import { ignoreInterrupt, serve } from './serve.ts'

const MAX_BACK_OFF_MS = 60_000

let connections: Connection[] = []

const handlers = {
  /**
   * All of them at once; who is turned away comes again with the back-off of a device. [Limits, Reconnect back-off]
   * @returns seconds until the last one was let in, and how many attempts failed, by reason
   */
  async connect(port: number, devices: DeviceKey[]) {
    const startedMs = performance.now()
    const failedAttempts: Record<string, number> = {}
    const connect = async (device: DeviceKey) => {
      for (let backOffMs = 1000; ; backOffMs = Math.min(backOffMs * 2, MAX_BACK_OFF_MS)) {
        try {
          return await openConnection(port, device)
        } catch (error) {
          const { message } = error as Error
          failedAttempts[message] = (failedAttempts[message] ?? 0) + 1
          await sleep(backOffMs)
        }
      }
    }
    connections = await Promise.all(devices.map(connect))
    return { seconds: (performance.now() - startedMs) / 1000, failedAttempts }
  },

  publishInWindow: (window: number, seconds: number) => publishInWindow(connections, window, seconds),
  publishAtRate: (messagesPerSecond: number, seconds: number) =>
    publishAtRate(connections, messagesPerSecond, seconds),

  async drop() {
    for (const connection of connections) connection.drop()
    connections = []
  },
}

export type FleetProgram = typeof handlers

ignoreInterrupt()
serve(handlers)
