/** Where outbox messages go: the log by default, NATS JetStream where GANGWAY_NATS_URL is set. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import type pg from 'pg'
import type { Logger } from 'pino'
import {
  closeNats,
  connectToNats,
  type NatsConfig,
  type NatsSettings,
  type Patience,
  usesNats,
} from '../lib/nats.ts'
import { readSubjectPrefix } from '../nodes/installation.ts'

export interface OutboxMessage {
  /** Grows with each message of the installation; the queue drops duplicates by it. */
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

interface QueueContext {
  config: NatsConfig
  log: Logger
  pool: pg.Pool
}

/** @throws NatsUnusableError, StoppedError */
export const openQueue = (ctx: QueueContext, patience: Patience = {}): Promise<Queue> =>
  usesNats(ctx.config) ? openNatsQueue(ctx, ctx.config, patience) : Promise.resolve(openLogQueue(ctx.log))

function openLogQueue(log: Logger): Queue {
  return {
    publish: async (messages) => {
      for (const { id, subject, payload } of messages) log.debug({ id, subject, payload }, 'event')
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

async function openNatsQueue(
  { log, pool }: QueueContext,
  settings: NatsSettings,
  patience: Patience,
): Promise<Queue> {
  const installation = await readSubjectPrefix(pool)
  const stream = { name: STREAM, subjects: [`${SUBJECT_PREFIX}>`] }
  const connection = await connectToNats(settings, {
    ...patience,
    log,
    name: 'outbox',
    // Adding a stream that exists with the same configuration changes nothing.
    prepare: async (nats) => (await jetstreamManager(nats)).streams.add(stream),
  })
  const publisher = jetstream(connection)
  return {
    publish: async (messages) => {
      for (const { id, subject, payload } of messages)
        await publisher.publish(SUBJECT_PREFIX + subject, JSON.stringify(payload), {
          // Several installations may share the stream.
          msgID: `${installation}.${id}`,
          headers: traceHeaders(payload),
        })
    },
    // Nothing waits to be sent: `publish` waits for the stream.
    [Symbol.asyncDispose]: () => closeNats(connection),
  }
}

/** An event goes on with the trace of the message that caused it. */
function traceHeaders(payload: unknown) {
  const traced = headers()
  const { traceparent } = (payload ?? {}) as { traceparent?: unknown }
  if (typeof traceparent === 'string') traced.set('traceparent', traceparent)
  return traced
}
