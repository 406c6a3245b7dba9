/** Where outbox messages go: the log by default, NATS JetStream where GANGWAY_NATS_URL is set. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { Logger } from 'pino'

export interface OutboxMessage {
  /** Grows with each message; the queue drops a repeat of it. */
  id: string
  subject: string
  payload: unknown
}

export interface Queue extends AsyncDisposable {
  /** @returns once the queue holds all of them, in order */
  publish(messages: OutboxMessage[]): Promise<void>
}

const STREAM = 'GANGWAY'
const SUBJECT_PREFIX = 'gangway.events.'

export const openQueue = (natsUrl: string | undefined, log: Logger): Promise<Queue> =>
  natsUrl ? openNatsQueue(natsUrl) : Promise.resolve(openLogQueue(log))

function openLogQueue(log: Logger): Queue {
  return {
    publish: async (messages) => {
      for (const { id, subject, payload } of messages) log.info({ id, subject, payload }, 'event')
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

async function openNatsQueue(natsUrl: string): Promise<Queue> {
  const connection = await connect({ servers: natsUrl, name: 'gangway outbox', maxReconnectAttempts: -1 })
  const manager = await jetstreamManager(connection)
  // Adding a stream that exists with the same configuration changes nothing.
  await manager.streams.add({ name: STREAM, subjects: [`${SUBJECT_PREFIX}>`] })
  const stream = jetstream(connection)
  return {
    publish: async (messages) => {
      for (const { id, subject, payload } of messages)
        await stream.publish(SUBJECT_PREFIX + subject, JSON.stringify(payload), { msgID: id })
    },
    [Symbol.asyncDispose]: () => connection.drain(),
  }
}
