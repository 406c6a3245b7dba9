/** One simulated device: a real MQTT client that stays connected or keeps trying. [docs/mqtt#back-off] */
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type MqttClient } from 'mqtt'
import type { SimulatedMethod } from './methods/method.ts'
import { createUpdatePlayer, type FirmwareOutcome, type FirmwareRules } from './firmware/play-updates.ts'
import { createDeviceResponder } from './device-responder.ts'
import type { Progress } from './progress.ts'

export interface DeviceOptions {
  url: string
  id: string
  password: string
  /** Shared by all devices of the simulation; this device adds to its counters. */
  progress: Progress
  /** Delay of the first connection, so that the devices do not connect all at once. */
  delayMs: number
  methods: SimulatedMethod[]
  /** How the device plays firmware updates; absent if it does not. */
  firmware?: { rules: FirmwareRules; outcome: FirmwareOutcome }
  /** Whether the device is connected but must not publish. */
  isSilent(): boolean
  onConnected(): void
}

export interface Device {
  readonly isConnected: boolean
  send(payload: string): void
  /** Reports properties that it applied while it was silent. */
  reportPending(): void
  /** Drops the connection without DISCONNECT and reconnects after that time. */
  loseConnection(untilMs: number): void
  /** Sends DISCONNECT once its messages are acknowledged. */
  close(): Promise<void>
}

// [docs/mqtt#back-off]
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000
const DISCONNECT_TIMEOUT_MS = 2000

export function createDevice(options: DeviceOptions): Device {
  const closing = new AbortController()
  let client: MqttClient | undefined
  let isConnected = false
  let offlineUntilMs = 0
  function publish(topic: string, payload: string, onAcknowledged?: () => void) {
    if (client?.connected)
      client.publish(topic, payload, { qos: 1 }, (error) => void (error || onAcknowledged?.()))
  }
  function loseConnection(untilMs: number) {
    offlineUntilMs = Math.max(offlineUntilMs, untilMs + options.delayMs)
    client?.stream.destroy()
  }
  const updates =
    options.firmware &&
    createUpdatePlayer({
      ...options.firmware,
      signal: closing.signal,
      disconnect: (forMs) => loseConnection(Date.now() + forMs),
      report(properties, onAcknowledged) {
        if (!options.isSilent())
          publish(`devices/${options.id}/twin/reported`, JSON.stringify(properties), onAcknowledged)
      },
    })
  const responder = createDeviceResponder({ ...options, signal: closing.signal, publish, updates })
  const pause = (ms: number) => sleep(ms, undefined, { signal: closing.signal }).catch(() => {})

  async function keepConnected() {
    await pause(options.delayMs)
    for (let pauseMs = FIRST_PAUSE_MS; !closing.signal.aborted;) {
      const offlineMs = offlineUntilMs - Date.now()
      if (offlineMs > 0) {
        await pause(offlineMs)
        continue
      }
      pauseMs = (await runSession()) ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      if (offlineUntilMs < Date.now()) await pause(pauseMs * (0.5 + Math.random() / 2))
    }
  }

  /** Resolves when the session ends. @returns whether the connection was established */
  async function runSession(): Promise<boolean> {
    let wasConnected = false
    const { url, id, password } = options
    client = connect(url, { username: id, password, clientId: id, clean: true, reconnectPeriod: 0 })
    client.on('connect', () => {
      wasConnected = true
      // Counts as connected only when subscribed: from then on it answers methods.
      client!.subscribe(responder.topics, { qos: 1 }, (error) => {
        if (error) return
        setConnected(true)
        options.onConnected()
      })
    })
    responder.onConnected()
    client.on('message', responder.onMessage)
    client.on('error', (error) => {
      // Errors after that are counted by the messages that they lose.
      if (!wasConnected) fail(`${id}: ${error.message}`)
    })
    await new Promise<void>((resolve) => client!.once('close', () => resolve()))
    setConnected(false)
    // Fails the callbacks of messages that were not acknowledged.
    client.end(true)
    return wasConnected
  }

  function setConnected(connected: boolean) {
    if (connected !== isConnected) options.progress.connected += connected ? 1 : -1
    isConnected = connected
  }

  function fail(message: string) {
    options.progress.errors++
    options.progress.lastError = message
  }

  const running = keepConnected()
  return {
    get isConnected() {
      return isConnected
    },
    send(payload) {
      options.progress.sent++
      client!.publish(`devices/${options.id}/telemetry`, payload, { qos: 1 }, (error) => {
        if (error) fail(`${options.id}: ${error.message}`)
        else options.progress.acknowledged++
      })
    },
    reportPending: responder.reportPending,
    loseConnection,
    async close() {
      closing.abort()
      // Waits for outstanding acknowledgements.
      if (isConnected) client?.end(false)
      else client?.stream.destroy()
      const timeout = setTimeout(() => client?.stream.destroy(), DISCONNECT_TIMEOUT_MS)
      await running
      clearTimeout(timeout)
    },
  }
}
