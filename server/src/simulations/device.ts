/** One simulated device: a real MQTT client that stays connected, or keeps trying. [docs/mqtt#back-off] */
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type MqttClient } from 'mqtt'
import type { SimulatedMethod } from './methods/method.ts'
import { createUpdatePlayer, type FirmwareOutcome, type FirmwareRules } from './firmware/play-updates.ts'
import { createObedience } from './obey.ts'
import type { Progress } from './progress.ts'

export interface DeviceOptions {
  url: string
  id: string
  password: string
  /** Counted in, for all devices of a simulation. */
  progress: Progress
  /** Not all at once: the first connection waits so long. */
  delayMs: number
  methods: SimulatedMethod[]
  /** How it plays firmware updates, where it does. */
  firmware?: { rules: FirmwareRules; outcome: FirmwareOutcome }
  /** Whether it is connected and says nothing. */
  isSilent(): boolean
  onConnected(): void
}

export interface Device {
  readonly isConnected: boolean
  send(payload: string): void
  /** Reports what it took over in silence. */
  catchUp(): void
  /** Disconnects without a word, and comes back after that time. */
  loseConnection(untilMs: number): void
  /** Says goodbye. */
  close(): Promise<void>
}

// [docs/mqtt#back-off]
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000
const GOODBYE_MS = 2000

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
      leave: (forMs) => loseConnection(Date.now() + forMs),
      report(properties, onAcknowledged) {
        if (!options.isSilent())
          publish(`devices/${options.id}/twin/reported`, JSON.stringify(properties), onAcknowledged)
      },
    })
  const obedience = createObedience({ ...options, signal: closing.signal, publish, updates })
  const pause = (ms: number) => sleep(ms, undefined, { signal: closing.signal }).catch(() => {})

  async function keepConnected() {
    await pause(options.delayMs)
    for (let pauseMs = FIRST_PAUSE_MS; !closing.signal.aborted;) {
      const offlineMs = offlineUntilMs - Date.now()
      if (offlineMs > 0) {
        await pause(offlineMs)
        continue
      }
      pauseMs = (await session()) ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      if (offlineUntilMs < Date.now()) await pause(pauseMs * (0.5 + Math.random() / 2))
    }
  }

  /** @returns whether it came about, once it is over */
  async function session(): Promise<boolean> {
    let wasConnected = false
    const { url, id, password } = options
    client = connect(url, { username: id, password, clientId: id, clean: true, reconnectPeriod: 0 })
    client.on('connect', () => {
      wasConnected = true
      // Whoever sees it connected can ask it something.
      client!.subscribe(obedience.topics, { qos: 1 }, (error) => {
        if (error) return
        setConnected(true)
        options.onConnected()
      })
    })
    obedience.connected()
    client.on('message', obedience.receive)
    client.on('error', (error) => {
      // Those of a connection that was there are counted by the messages that they cost.
      if (!wasConnected) fail(`${id}: ${error.message}`)
    })
    await new Promise<void>((resolve) => client!.once('close', () => resolve()))
    setConnected(false)
    // What was not acknowledged is lost, and says so to those who wait.
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
    catchUp: obedience.catchUp,
    loseConnection,
    async close() {
      closing.abort()
      // Waits for what is not acknowledged yet.
      if (isConnected) client?.end(false)
      else client?.stream.destroy()
      const cut = setTimeout(() => client?.stream.destroy(), GOODBYE_MS)
      await running
      clearTimeout(cut)
    },
  }
}
