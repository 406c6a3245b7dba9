import type { QueueLimits } from './bounded-queue.ts'
import type { Identity } from './certificates/identity.ts'
import type { Clock } from './clock.ts'
import { systemClock } from './clock.ts'
import type { Credential, Credentials } from './credentials.ts'
import { createCredentials } from './credentials.ts'
import { assertDeviceId } from './device-id.ts'
import type { TlsOptions } from './session.ts'

export interface ConnectOptions {
  host: string
  port: number
  /** Default: true on port 8883, else false. With an object, TLS is on. */
  tls?: boolean | TlsOptions
  deviceId: string
  /** Key and certificate from `enroll`, used instead of keys and renewed while the device is connected. TLS is on. */
  identity?: Identity
  /** May be omitted only with `identity`, or if `tls` contains a client certificate. */
  primaryKey?: string | null
  /** Tried at once if the broker refuses the primary key, and vice versa. */
  secondaryKey?: string | null
  /** Default: the device id. */
  clientId?: string
  /** Default 60. */
  keepaliveSeconds?: number
  /** Limit of one connection attempt, in milliseconds. Default 30,000. */
  connectTimeoutMs?: number
  /** A connection that lasted this long resets the back-off, in milliseconds. Default 30,000. */
  stableAfterMs?: number
  /** Messages that may wait for a connection. Default 10,000 messages and 16 MiB; the oldest are dropped first. */
  buffer?: Partial<QueueLimits>
  clock?: Clock
}

/** The same with all defaults applied. */
export interface ResolvedOptions {
  host: string
  port: number
  tls: TlsOptions | null
  deviceId: string
  clientId: string
  keepaliveSeconds: number
  connectTimeoutMs: number
  stableAfterMs: number
  buffer: QueueLimits
  clock: Clock
  identity: Identity | null
  /** Null with an identity, which has credentials of its own. */
  credentials: Credentials | null
}

/** Throws TypeError for invalid options, so that a typing error does not cause endless retries. */
export function resolveOptions(options: ConnectOptions): ResolvedOptions {
  const { host, port, deviceId } = options
  assertDeviceId(deviceId)
  if (typeof host !== 'string' || !host) throw new TypeError('host is empty')
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new TypeError(`port must be 1 to 65535, not ${port}`)
  if (options.identity && options.identity.deviceId !== deviceId)
    throw new TypeError(`identity is that of ${options.identity.deviceId}, not of ${deviceId}`)
  const tls = resolveTls(options)
  return {
    host,
    port,
    tls,
    deviceId,
    clientId: options.clientId ?? deviceId,
    keepaliveSeconds: positive('keepaliveSeconds', options.keepaliveSeconds ?? 60),
    connectTimeoutMs: positive('connectTimeoutMs', options.connectTimeoutMs ?? 30_000),
    stableAfterMs: positive('stableAfterMs', options.stableAfterMs ?? 30_000),
    buffer: {
      maxMessages: positive('buffer.maxMessages', options.buffer?.maxMessages ?? 10_000),
      maxBytes: positive('buffer.maxBytes', options.buffer?.maxBytes ?? 16 * 1024 * 1024),
    },
    clock: options.clock ?? systemClock,
    identity: options.identity ?? null,
    credentials: options.identity ? null : resolveCredentials(options, tls),
  }
}

// [docs/mqtt#sign-in]: the settings have no scheme; the port decides.
function resolveTls({ tls, port, identity }: ConnectOptions): TlsOptions | null {
  if (identity) return resolveIdentityTls(identity, tls)
  if (typeof tls === 'object') return tls
  return (tls ?? port === 8883) ? {} : null
}

function resolveIdentityTls({ ca }: Identity, tls: ConnectOptions['tls']): TlsOptions {
  const given = typeof tls === 'object' ? tls : {}
  if (tls === false || given.cert || given.key)
    throw new TypeError('identity needs tls, and no other client certificate')
  return ca === undefined ? given : { ca, ...given }
}

function resolveCredentials(
  { primaryKey, secondaryKey }: ConnectOptions,
  tls: TlsOptions | null,
): Credentials {
  const keys: Credential[] = []
  if (primaryKey) keys.push({ name: 'primary', password: primaryKey })
  if (secondaryKey) keys.push({ name: 'secondary', password: secondaryKey })
  const [first, ...others] = keys
  if (first) return createCredentials(first, ...others)
  if (tls?.cert && tls.key) return createCredentials({ name: 'certificate' })
  throw new TypeError('give primaryKey, identity, or a client certificate as tls.cert and tls.key')
}

function positive(name: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value
  throw new TypeError(`${name} must be a positive number, not ${value}`)
}
