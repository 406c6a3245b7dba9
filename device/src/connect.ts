import { startRenewal } from './certificates/start-renewal.ts'
import type { ConnectOptions, ResolvedOptions } from './connect-options.ts'
import { resolveOptions } from './connect-options.ts'
import type { Credentials } from './credentials.ts'
import { createDesired } from './desired.ts'
import type { Device } from './device.ts'
import { DeviceError } from './device-error.ts'
import type { DeviceEvents } from './device-events.ts'
import { createDeviceEvents } from './device-events.ts'
import { encodeMessage } from './encode-message.ts'
import type { Events } from './events.ts'
import { isJsonObject } from './json.ts'
import type { CloseCause, Connection } from './keep-connected.ts'
import { keepConnected } from './keep-connected.ts'
import { createMethods } from './methods.ts'
import { createOutbox } from './outbox.ts'
import { openSession } from './session.ts'
import { encodeTelemetry } from './telemetry.ts'
import { createTopics } from './topics.ts'

/**
 * Starts to connect and returns at once; the device can be used before the first connection, since messages wait.
 * Throws TypeError for invalid options.
 */
export function connect(options: ConnectOptions): Device {
  const resolved = resolveOptions(options)
  const events = createDeviceEvents(resolved.deviceId)
  const parts = createParts(resolved, events)
  const stop = new AbortController()
  const { credentials, stopped } = startCredentials(resolved, events, stop.signal)
  const connection = createConnection({ ...resolved, credentials }, parts, events)
  const running = keepConnected(connection, stop.signal)
  return toDevice(resolved, parts, events, async (timeoutMs) => {
    const isDrained = new AbortController()
    parts.outbox.refuse()
    void parts.outbox.drained().then(() => isDrained.abort())
    await resolved.clock.sleep(timeoutMs, isDrained.signal)
    stop.abort()
    await Promise.all([running, stopped])
    parts.outbox.discard()
  })
}

interface StartedCredentials {
  credentials: Credentials
  /** Resolves after `signal` aborted, when nothing works in the background any more. */
  stopped: Promise<void>
}

function startCredentials(
  { identity, credentials, clock }: ResolvedOptions,
  events: Events<DeviceEvents>,
  signal: AbortSignal,
): StartedCredentials {
  if (identity) return startRenewal({ identity, clock, events }, signal)
  if (!credentials) throw new TypeError('there are no credentials')
  return { credentials, stopped: Promise.resolve() }
}

type Parts = ReturnType<typeof createParts>

function createParts({ deviceId, buffer }: ResolvedOptions, events: Events<DeviceEvents>) {
  const topics = createTopics(deviceId)
  const onError = (error: DeviceError) => events.emit('error', error)
  return {
    topics,
    outbox: createOutbox({
      limits: buffer,
      onDropped: (count, reason) => events.emit('dropped', { count, reason }),
    }),
    desired: createDesired(onError),
    methods: createMethods(topics, onError),
    state: { isConnected: false },
  }
}

function createConnection(
  options: ResolvedOptions & { credentials: Credentials },
  parts: Parts,
  events: Events<DeviceEvents>,
): Connection {
  const { topics, outbox, desired, methods, state } = parts
  const onError = (error: DeviceError) => events.emit('error', error)
  const onMessage = (topic: string, payload: Buffer) => {
    if (topic === topics.desired) return desired.receive(payload)
    const method = topics.readMethodName(topic)
    if (method !== null) methods.receive(method, payload)
  }
  const subscriptions = [topics.desired, topics.invocations]
  return {
    credentials: options.credentials,
    clock: options.clock,
    stableAfterMs: options.stableAfterMs,
    open: (credential, signal) =>
      openSession({ ...options, subscriptions, onMessage, onError }, credential, signal),
    onOpen(session, credential) {
      state.isConnected = true
      methods.attach(session)
      outbox.attach(session)
      events.emit('connected', { host: options.host, port: options.port, credential: credential.name })
    },
    onClosed(reason, cause) {
      state.isConnected = false
      methods.detach()
      outbox.detach()
      events.emit('disconnected', describeEnd(reason, cause))
    },
    onFailed: onError,
    onRetry: (failures, delayMs, reason) => events.emit('retrying', { failures, delayMs, reason }),
  }
}

function describeEnd(reason: DeviceError, cause: CloseCause): DeviceEvents['disconnected'] {
  if (cause === 'closed') return { code: 'closed', message: 'the device was closed' }
  if (cause === 'replaced')
    return { code: 'renewed', message: 'the device signs in with its new certificate' }
  return { code: 'connection_lost', message: reason.message }
}

function toDevice(
  { deviceId, clock }: ResolvedOptions,
  { topics, outbox, desired, methods, state }: Parts,
  events: Events<DeviceEvents>,
  shutDown: (timeoutMs: number) => Promise<void>,
): Device {
  let closing: Promise<void> | undefined
  // Not async: the promise of the outbox must reach the caller itself, or an unawaited loss would end the process.
  const send = (topic: string, encode: () => Buffer): Promise<void> => {
    try {
      return outbox.send(topic, encode())
    } catch (error) {
      return Promise.reject(error)
    }
  }
  const close = ({ timeoutMs = 5_000 } = {}) => (closing ??= shutDown(timeoutMs))
  return {
    deviceId,
    get isConnected() {
      return state.isConnected
    },
    get pendingMessages() {
      return outbox.size
    },
    sendTelemetry: (signals, options = {}) =>
      send(topics.telemetry, () => encodeTelemetry(topics.telemetry, signals, options, clock.now())),
    reportProperties: (properties) =>
      send(topics.reported, () => encodeReported(topics.reported, properties)),
    onDesired: (handler) => desired.setHandler(handler),
    onMethod: (name, handler) => methods.setHandler(name, handler),
    on: (name, listener) => events.on(name, listener),
    close,
    [Symbol.asyncDispose]: () => close(),
  }
}

function encodeReported(topic: string, properties: object): Buffer {
  if (isJsonObject(properties)) return encodeMessage(topic, properties)
  throw new DeviceError('invalid_message', 'reported properties are an object')
}
