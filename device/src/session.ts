import { Socket } from 'node:net'
import type { MqttClient } from 'mqtt'
import { connect } from 'mqtt'
import type { Credential } from './credentials.ts'
import { DeviceError } from './device-error.ts'

export interface TlsOptions {
  /** Certificate authorities to trust instead of the system's, PEM. */
  ca?: string | string[] | Buffer | Buffer[]
  /** Client certificate and its private key, PEM; with both the device needs no key of its own. */
  cert?: string | Buffer
  key?: string | Buffer
  /** Expected name in the broker's certificate, if it differs from the host. */
  servername?: string
}

export interface SessionOptions {
  host: string
  port: number
  tls: TlsOptions | null
  deviceId: string
  clientId: string
  keepaliveSeconds: number
  /** Time limit from the TCP connection to the SUBACK. */
  connectTimeoutMs: number
  subscriptions: string[]
  onMessage: (topic: string, payload: Buffer) => void
  /** Called for errors that do not end the session. */
  onError: (error: DeviceError) => void
}

/** One MQTT connection, from CONNACK to its end. It never reconnects; the next one is another session. */
export interface Session {
  /** Publishes with QoS 1. `onAck` is called at the PUBACK, and never if the session ends before. */
  publish(topic: string, payload: Buffer, onAck: () => void): void
  /** Resolves with the reason when the connection has ended. */
  closed: Promise<DeviceError>
  /** Sends DISCONNECT and closes; the connection is cut after a second. */
  end(): Promise<void>
}

const END_LIMIT_MS = 1_000
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Connects and subscribes. Rejects with DeviceError `credentials_refused` or `connection_failed`, also when `signal`
 * aborts.
 */
export async function openSession(
  options: SessionOptions,
  credential: Credential,
  signal: AbortSignal,
): Promise<Session> {
  const client = createClient(options, credential)
  let lastError: Error | undefined
  client.on('error', (error) => (lastError = error))
  client.on('message', (topic, payload) => options.onMessage(topic, payload))
  const gone = new Promise<void>((resolve) => client.once('close', resolve))

  const cut = () => client.end(true)
  const timer = setTimeout(() => {
    lastError ??= new Error(`no session within ${options.connectTimeoutMs} ms`)
    cut()
  }, options.connectTimeoutMs)
  signal.addEventListener('abort', cut, { once: true })
  if (signal.aborted) cut()
  try {
    const isOpen = await Promise.race([subscribed(client, options), gone.then(() => false)])
    if (!isOpen) throw connectError(options, lastError)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', cut)
  }
  return toSession(
    client,
    gone.then(() => lostError(lastError)),
  )
}

function createClient(options: SessionOptions, credential: Credential): MqttClient {
  try {
    return connect(clientOptions(options, credential))
  } catch (error) {
    // An unreadable certificate or key throws instead of emitting an error.
    throw connectError(options, error instanceof Error ? error : new Error(String(error)))
  }
}

function clientOptions(options: SessionOptions, { password, tls: own }: Credential) {
  const { host, port, tls, deviceId, clientId, keepaliveSeconds } = options
  return {
    host,
    port,
    protocol: tls ? ('mqtts' as const) : ('mqtt' as const),
    ...tls,
    ...own,
    clientId,
    ...(password === undefined ? {} : { username: deviceId, password }),
    clean: true,
    keepalive: keepaliveSeconds,
    // The session's own time limit includes the SUBACK; this one would end at the CONNACK.
    connectTimeout: LONGEST_TIMER_MS,
    protocolVersion: 4 as const,
    // The SDK has its own back-off and buffer: the library reconnects at a fixed period. [docs/mqtt#back-off]
    reconnectPeriod: 0,
    resubscribe: false,
  }
}

/** Resolves with true at the SUBACK. A refusal is only reported, since telemetry can still be sent. */
function subscribed(client: MqttClient, { subscriptions, onError }: SessionOptions): Promise<boolean> {
  return new Promise((resolve) => {
    client.once('connect', () => {
      // PUBACKs and answers are small; Nagle's algorithm would delay each until the previous one is acknowledged.
      if (client.stream instanceof Socket) client.stream.setNoDelay()
      client.subscribe(subscriptions, { qos: 1 }, (error) => {
        if (!error) return resolve(true)
        if (!client.connected) return
        const message = `the broker refused a subscription to ${subscriptions.join(' or ')}`
        onError(new DeviceError('subscription_refused', message, { cause: error }))
        resolve(true)
      })
    })
  })
}

function toSession(client: MqttClient, closed: Promise<DeviceError>): Session {
  return {
    closed,
    publish(topic, payload, onAck) {
      client.publish(topic, payload, { qos: 1 }, (error) => {
        if (!error) onAck()
      })
    },
    async end() {
      const timer = setTimeout(() => client.stream.destroy(), END_LIMIT_MS)
      client.end()
      await closed
      clearTimeout(timer)
    },
  }
}

function connectError(
  { host, port }: SessionOptions,
  cause: (Error & { code?: unknown }) | undefined,
): DeviceError {
  const reason = cause?.message ?? 'the connection closed'
  // CONNACK 4 is a bad user name or password, 5 is not authorized; brokers use either for a wrong key.
  const isRefused = cause?.code === 4 || cause?.code === 5
  const code = isRefused ? 'credentials_refused' : 'connection_failed'
  return new DeviceError(code, `cannot connect to ${host}:${port}: ${reason}`, { cause })
}

const lostError = (cause: Error | undefined): DeviceError =>
  new DeviceError('connection_lost', cause?.message ?? 'the broker closed the connection', { cause })
