/** Connects to NATS. A NATS server that starts at the same time (compose, a reboot) may take a while to answer. */
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { AuthorizationError, connect, type NatsConnection } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import { StoppedError, waitUnlessStopped } from '../lib/unless-stopped.ts'

class NatsUnusableError extends Error {
  override name = 'NatsUnusableError'
}

export interface Patience {
  forMs?: number
  abort?: AbortSignal
}

interface Destination {
  natsUrl: string
  /** Created if it is missing. */
  stream: { name: string; subjects: string[] }
  log: Logger
}

const PATIENCE_MS = 60_000
const PAUSE_MS = 500
const CONNECT_MS = 5000

/** @throws NatsUnusableError, StoppedError */
export async function connectToNats(
  destination: Destination,
  { forMs = PATIENCE_MS, abort }: Patience,
): Promise<NatsConnection> {
  const { natsUrl, log } = destination
  const address = new URL(natsUrl).host
  for (let until = Date.now() + forMs, warned = false; ;) {
    try {
      return await waitUnlessStopped(attempt(destination), abort)
    } catch (error) {
      if (error instanceof StoppedError) throw error
      const reason = (error as Error).message
      const complaint = (problem: string) =>
        new NatsUnusableError(`The NATS server at ${address} ${problem}: ${reason}. Check GANGWAY_NATS_URL.`)
      if (error instanceof AuthorizationError) throw complaint('refuses')
      if (Date.now() > until) throw complaint('cannot be used')
      if (!warned)
        log.warn({ address, reason }, 'the NATS server of GANGWAY_NATS_URL does not answer yet, waiting')
      warned = true
    }
    await waitUnlessStopped(sleep(Math.min(PAUSE_MS, forMs)), abort)
  }
}

async function attempt({ natsUrl, stream }: Destination): Promise<NatsConnection> {
  const options = { servers: natsUrl, name: 'gangway outbox', maxReconnectAttempts: -1, timeout: CONNECT_MS }
  const connection = await connect(options)
  try {
    const manager = await jetstreamManager(connection)
    // Adding a stream that exists with the same configuration changes nothing.
    await manager.streams.add(stream)
    return connection
  } catch (error) {
    await connection.close()
    throw error
  }
}
