/** Where outbox messages go: the log by default, NATS JetStream where GANGWAY_NATS_URL is set. */
import { JetStreamApiError, jetstream, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import type pg from 'pg'
import type { Logger } from 'pino'
import {
  closeNats,
  connectToNats,
  type NatsConfig,
  type NatsSettings,
  NatsUnusableError,
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
const SUBJECTS = `${SUBJECT_PREFIX}>`
const NAME_IN_USE = 10058

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
  const connection = await connectToNats(settings, {
    ...patience,
    log,
    name: 'outbox',
    prepare: async (nats) => ensureEventStream(await jetstreamManager(nats)),
  })
  const publisher = jetstream(connection)
  const publish = ({ id, subject, payload }: OutboxMessage) =>
    publisher.publish(SUBJECT_PREFIX + subject, JSON.stringify(payload), {
      // Several installations may share the stream.
      msgID: `${installation}.${id}`,
      headers: traceHeaders(payload),
    })
  return {
    publish: async (messages) => {
      try {
        for (const message of messages) await publish(message)
      } catch (error) {
        // The stream may have been deleted. The next try needs it.
        await jetstreamManager(connection)
          .then(ensureEventStream)
          .catch(() => {})
        throw error
      }
    },
    // Nothing waits to be sent: `publish` waits for the stream.
    [Symbol.asyncDispose]: () => closeNats(connection),
  }
}

/**
 * Adds the stream unless it is there. The operator may have given it limits and replicas.
 * @throws NatsUnusableError if it is the stream of another program
 */
async function ensureEventStream({ streams }: JetStreamManager): Promise<void> {
  try {
    await streams.add({ name: STREAM, subjects: [SUBJECTS] })
  } catch (error) {
    if (!(error instanceof JetStreamApiError && error.code === NAME_IN_USE)) throw error
    const { config } = await streams.info(STREAM)
    if (config.subjects.includes(SUBJECTS)) return
    throw new NatsUnusableError(
      `its stream ${STREAM} has the subjects ${config.subjects.join(', ')}, where events need ${SUBJECTS}`,
    )
  }
}

/** An event goes on with the trace of the message that caused it. */
function traceHeaders(payload: unknown) {
  const traced = headers()
  const { traceparent } = (payload ?? {}) as { traceparent?: unknown }
  if (typeof traceparent === 'string') traced.set('traceparent', traceparent)
  return traced
}
