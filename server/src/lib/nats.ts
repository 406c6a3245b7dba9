/** Connects to NATS. A NATS server that starts at the same time (compose, a reboot) may take a while to answer. */
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  AuthorizationError,
  connect,
  type ConnectionOptions,
  credsAuthenticator,
  type NatsConnection,
  type NatsConnectionImpl,
} from '@nats-io/transport-node'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { NatsUrl } from './nats-url.ts'
import { StoppedError, waitUnlessStopped } from './unless-stopped.ts'

export class NatsUnusableError extends Error {
  override name = 'NatsUnusableError'
}

const files = {
  natsCaFile: 'GANGWAY_NATS_CA_FILE',
  natsCertFile: 'GANGWAY_NATS_CERT_FILE',
  natsKeyFile: 'GANGWAY_NATS_KEY_FILE',
  natsCredentialsFile: 'GANGWAY_NATS_CREDENTIALS_FILE',
} as const

export type NatsConfig = Pick<Config, 'natsUrl'> & Partial<Pick<Config, keyof typeof files>>
export type NatsSettings = NatsConfig & { natsUrl: NatsUrl }

/** Whether NATS is configured. */
export const usesNats = (config: NatsConfig): config is NatsSettings => config.natsUrl !== undefined

export interface Patience {
  forMs?: number
  abort?: AbortSignal
}

interface Options extends Patience {
  log: Logger
  /** Shown by NATS. */
  name: string
  noEcho?: boolean
  /** Completes the connection; when it fails, the connection is tried again, unless with a NatsUnusableError. */
  prepare?(connection: NatsConnection): Promise<unknown>
}

const PATIENCE_MS = 60_000
const PAUSE_MS = 500
const CONNECT_MS = 5000
/** A connection without an answer to two pings counts as lost. */
const PING_MS = 5000
/** More than this waits to be sent only where NATS does not read any more. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024

/** The connection comes back by itself after a loss. @throws NatsUnusableError, StoppedError */
export async function connectToNats(settings: NatsSettings, options: Options): Promise<NatsConnection> {
  const { forMs = PATIENCE_MS, abort, log } = options
  const address = settings.natsUrl.addresses.join(', ')
  const connection = await connectionOptions(settings, options)
  for (let until = Date.now() + forMs, warned = false; ;) {
    try {
      const nats = await waitUnlessStopped(attempt(connection, options), abort)
      void dropStale(nats)
      return nats
    } catch (error) {
      if (error instanceof StoppedError) throw error
      const reason = (error as Error).message
      const complaint = (problem: string) =>
        new NatsUnusableError(`The NATS server at ${address} ${problem}: ${reason}. Check GANGWAY_NATS_URL.`)
      if (error instanceof NatsUnusableError) throw complaint('cannot be used')
      if (error instanceof AuthorizationError) throw complaint('refuses')
      if (Date.now() > until) throw complaint('cannot be used')
      if (!warned)
        log.warn({ address, reason }, 'the NATS server of GANGWAY_NATS_URL does not answer yet, waiting')
      warned = true
    }
    await waitUnlessStopped(sleep(Math.min(PAUSE_MS, forMs)), abort)
  }
}

/** @returns once NATS answers @throws NatsUnusableError, StoppedError */
export async function waitForNats(
  settings: NatsSettings,
  { log, ...patience }: Patience & Pick<Options, 'log'>,
): Promise<void> {
  await closeNats(await connectToNats(settings, { ...patience, log, name: 'start' }))
}

/** Closes the connection, or ends the attempt to make it again. Nothing that NATS does can hold it up. */
export async function closeNats(nats: NatsConnection): Promise<void> {
  await nats.close()
  // The socket of an attempt is left open by `close`, and would keep the process alive.
  ;(nats as NatsConnectionImpl).protocol.transport.discard()
}

/**
 * A NATS that hangs does not take what is sent to it, and all of that would stay in memory.
 * @returns whether the connection was dropped for that; it comes back by itself
 */
export function dropIfStuck(nats: NatsConnection): boolean {
  const isStuck = (findSocket(nats)?.writableLength ?? 0) > MAX_UNSENT_BYTES
  if (isStuck) findSocket(nats)?.destroy()
  return isStuck
}

/** The client itself would send what waits before it gives a stale connection up, and so wait for as long as NATS hangs. */
async function dropStale(nats: NatsConnection): Promise<void> {
  for await (const { type } of nats.status()) if (type === 'staleConnection') findSocket(nats)?.destroy()
}

/** The client does not show its socket, which is absent while it is not connected. */
const findSocket = (nats: NatsConnection): Socket | undefined =>
  ((nats as NatsConnectionImpl).protocol.transport as { socket?: Socket }).socket

async function attempt(options: ConnectionOptions, { prepare }: Options): Promise<NatsConnection> {
  const connection = await connect(options)
  try {
    await prepare?.(connection)
    return connection
  } catch (error) {
    await closeNats(connection)
    throw error
  }
}

async function connectionOptions(
  settings: NatsSettings,
  { name, noEcho = false }: Options,
): Promise<ConnectionOptions> {
  const { addresses, isTls, user, password, token } = settings.natsUrl
  const [, , , credentials] = await Promise.all(
    Object.entries(files).map(([key, variable]) =>
      readSetFile(settings[key as keyof typeof files], variable),
    ),
  )
  const { natsCaFile: caFile, natsCertFile: certFile, natsKeyFile: keyFile } = settings
  return {
    servers: addresses,
    name: `gangway ${name}`,
    noEcho,
    maxReconnectAttempts: -1,
    // Credentials may be changed while the server runs.
    ignoreAuthErrorAbort: true,
    timeout: CONNECT_MS,
    pingInterval: PING_MS,
    ...(user !== undefined && password !== undefined && { user, pass: password }),
    ...(token !== undefined && { token }),
    ...(credentials && { authenticator: credsAuthenticator(credentials) }),
    // The files are read again for each connection, so that certificates can be renewed.
    ...((isTls || caFile || certFile) && {
      tls: { ...(caFile && { caFile }), ...(certFile && keyFile && { certFile, keyFile }) },
    }),
  }
}

/** A file that cannot be read would else be reported as a server that does not answer. */
async function readSetFile(path: string | undefined, variable: string): Promise<Buffer | undefined> {
  if (path === undefined) return undefined
  return readFile(path).catch((error: Error) => {
    throw new NatsUnusableError(`${variable}: ${path} cannot be read: ${error.message}`)
  })
}
