/** Where outbox messages go: the log by default, NATS JetStream where GANGWAY_NATS_URL is set. */
import { jetstream } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import { connectToNats, type Patience } from './connect-to-nats.ts'

export interface OutboxMessage {
  /** Grows with each message; the queue drops duplicates by it. */
  id: string
  subject: string
  payload: unknown
}

export interface Queue extends AsyncDisposable {
  /** @returns when the queue has stored all messages, in order */
  publish(messages: OutboxMessage[]): Promise<void>
}

const STREAM = 'GANGWAY'
const SUBJECT_PREFIX = 'gangway.events.'

/** @throws NatsUnusableError, StoppedError */
export const openQueue = (
  natsUrl: string | undefined,
  log: Logger,
  patience: Patience = {},
): Promise<Queue> => (natsUrl ? openNatsQueue(natsUrl, log, patience) : Promise.resolve(openLogQueue(log)))

function openLogQueue(log: Logger): Queue {
  return {
    publish: async (messages) => {
      for (const { id, subject, payload } of messages) log.debug({ id, subject, payload }, 'event')
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

async function openNatsQueue(natsUrl: string, log: Logger, patience: Patience): Promise<Queue> {
  const stream = { name: STREAM, subjects: [`${SUBJECT_PREFIX}>`] }
  const connection = await connectToNats({ natsUrl, stream, log }, patience)
  const publisher = jetstream(connection)
  return {
    publish: async (messages) => {
      for (const { id, subject, payload } of messages)
        await publisher.publish(SUBJECT_PREFIX + subject, JSON.stringify(payload), {
          msgID: id,
          headers: traceHeaders(payload),
        })
    },
    [Symbol.asyncDispose]: () => connection.drain(),
  }
}

/** An event goes on with the trace of the message that caused it. */
function traceHeaders(payload: unknown) {
  const traced = headers()
  const { traceparent } = (payload ?? {}) as { traceparent?: unknown }
  if (typeof traceparent === 'string') traced.set('traceparent', traceparent)
  return traced
}
