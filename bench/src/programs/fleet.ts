/** Many devices in one process: they connect at once, and publish as fast as possible or at a given rate. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Connection,
  type ConnectionOptions,
  type DeviceKey,
  openConnection,
} from '../mqtt/connection.ts'
import { publishAtRate } from '../mqtt/publish-at-rate.ts'
import { publishInWindow } from '../mqtt/publish-in-window.ts'
import { ignoreInterrupt, serve } from './serve.ts'

const MAX_BACK_OFF_MS = 60_000
/**
 * Devices do not wake within the same microsecond. All at once from one loop they would overrun the kernel's queue of
 * connections to accept, whatever the server does, and the kernel's retries of 1, 3, 7, 15 s would be what is measured.
 */
const ARRIVALS_PER_SECOND = 10_000
const ARRIVALS_AT_ONCE = 100

let connections: Connection[] = []

const handlers = {
  /**
   * Connects all devices within about a second; a refused one retries with the back-off of a device.
   * [docs/mqtt#back-off]
   * @returns seconds until the last one was connected, and the number of failed attempts by reason
   */
  async connect(port: number, devices: DeviceKey[], options?: ConnectionOptions) {
    const startedMs = performance.now()
    const failedAttempts: Record<string, number> = {}
    const connect = async (device: DeviceKey) => {
      for (let backOffMs = 1000; ; backOffMs = Math.min(backOffMs * 2, MAX_BACK_OFF_MS)) {
        try {
          return await openConnection(port, device, options)
        } catch (error) {
          const { message } = error as Error
          failedAttempts[message] = (failedAttempts[message] ?? 0) + 1
          await sleep(backOffMs)
        }
      }
    }
    const connecting: Promise<Connection>[] = []
    for (const device of devices) {
      connecting.push(connect(device))
      if (connecting.length % ARRIVALS_AT_ONCE === 0)
        await sleep((connecting.length / ARRIVALS_PER_SECOND) * 1000 - (performance.now() - startedMs))
    }
    connections = await Promise.all(connecting)
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
