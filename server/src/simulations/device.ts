/** One simulated device: a real MQTT client that stays connected or keeps trying. [docs/mqtt#back-off] */
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type MqttClient } from 'mqtt'
import type { SimulatedMethod } from './methods/method.ts'
import { createUpdatePlayer, type FirmwareOutcome, type FirmwareRules } from './firmware/play-updates.ts'
import { createDeviceResponder, type DeviceResponder } from './device-responder.ts'
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

interface State {
  readonly options: DeviceOptions
  /** Aborts when the device is closed. */
  readonly closing: AbortController
  client: MqttClient | undefined
  isConnected: boolean
  offlineUntilMs: number
}

export function createDevice(options: DeviceOptions): Device {
  const closing = new AbortController()
  const device: State = { options, closing, client: undefined, isConnected: false, offlineUntilMs: 0 }
  const responder = createResponder(device)
  const running = keepConnected(device, responder)
  return {
    get isConnected() {
      return device.isConnected
    },
    send: (payload) => sendTelemetry(device, payload),
    reportPending: responder.reportPending,
    loseConnection: (untilMs) => loseConnection(device, untilMs),
    close: () => close(device, running),
  }
}

function createResponder(device: State): DeviceResponder {
  const { options, closing } = device
  const publish = (topic: string, payload: string, onAcknowledged?: () => void) => {
    if (device.client?.connected)
      device.client.publish(topic, payload, { qos: 1 }, (error) => void (error || onAcknowledged?.()))
  }
  const updates =
    options.firmware &&
    createUpdatePlayer({
      ...options.firmware,
      signal: closing.signal,
      disconnect: (forMs) => loseConnection(device, Date.now() + forMs),
      report(properties, onAcknowledged) {
        if (!options.isSilent())
          publish(`devices/${options.id}/twin/reported`, JSON.stringify(properties), onAcknowledged)
      },
    })
  return createDeviceResponder({ ...options, signal: closing.signal, publish, updates })
}

async function keepConnected(device: State, responder: DeviceResponder) {
  const { signal } = device.closing
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {})
  await pause(device.options.delayMs)
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted;) {
    const offlineMs = device.offlineUntilMs - Date.now()
    if (offlineMs > 0) {
      await pause(offlineMs)
      continue
    }
    const wasConnected = await runSession(device, responder)
    pauseMs = wasConnected ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    if (device.offlineUntilMs < Date.now()) await pause(pauseMs * (0.5 + Math.random() / 2))
  }
}

/** Resolves when the session ends. @returns whether the connection was established */
async function runSession(device: State, responder: DeviceResponder): Promise<boolean> {
  const { url, id, password, onConnected } = device.options
  let wasConnected = false
  const client = connect(url, { username: id, password, clientId: id, clean: true, reconnectPeriod: 0 })
  device.client = client
  client.on('connect', () => {
    wasConnected = true
    // Counts as connected only when subscribed: from then on it answers methods.
    client.subscribe(responder.topics, { qos: 1 }, (error) => {
      if (error) return
      setConnected(device, true)
      onConnected()
    })
  })
  responder.onConnected()
  client.on('message', responder.onMessage)
  client.on('error', (error) => {
    // Errors after that are counted by the messages that they lose.
    if (!wasConnected) recordError(device, error)
  })
  await new Promise<void>((resolve) => client.once('close', () => resolve()))
  setConnected(device, false)
  // Fails the callbacks of messages that were not acknowledged.
  client.end(true)
  return wasConnected
}

function setConnected(device: State, connected: boolean) {
  if (connected !== device.isConnected) device.options.progress.connected += connected ? 1 : -1
  device.isConnected = connected
}

function recordError({ options: { id, progress } }: State, error: Error) {
  progress.errors++
  progress.lastError = `${id}: ${error.message}`
}

function sendTelemetry(device: State, payload: string) {
  const { id, progress } = device.options
  progress.sent++
  device.client!.publish(`devices/${id}/telemetry`, payload, { qos: 1 }, (error) => {
    if (error) recordError(device, error)
    else progress.acknowledged++
  })
}

function loseConnection(device: State, untilMs: number) {
  device.offlineUntilMs = Math.max(device.offlineUntilMs, untilMs + device.options.delayMs)
  device.client?.stream.destroy()
}

async function close(device: State, running: Promise<void>) {
  device.closing.abort()
  // Waits for outstanding acknowledgements.
  if (device.isConnected) device.client?.end(false)
  else device.client?.stream.destroy()
  const timeout = setTimeout(() => device.client?.stream.destroy(), DISCONNECT_TIMEOUT_MS)
  await running
  clearTimeout(timeout)
}
