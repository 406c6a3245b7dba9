/**
 * The stream between gateways and ingest: messages of devices are acknowledged once NATS JetStream has them, and are
 * stored in the database after that. [docs/stream#the-stream]
 */
import { jetstream, type JetStreamManager, jetstreamManager, type StreamInfo } from '@nats-io/jetstream'
import type { Config } from '../../config.ts'
import { closeNats, connectToNats, type NatsSettings, type Patience } from '../../lib/nats.ts'
import { readSubjectPrefix } from '../../nodes/installation.ts'
import type { Ingest } from '../ingest.ts'
import { type Consumer, startConsumer } from './consume.ts'
import {
  ensureStream,
  isStreamNotFound,
  MAX_BATCH_BYTES,
  requireUsable,
  streamName,
} from './ensure-stream.ts'
import { formatPlace, parsePlace } from './lanes.ts'
import { insertPartitions } from './partitions.ts'
import { createPublisher } from './publish-batches.ts'
import { setState, type StreamConnection, type StreamContext, type StreamState } from './state.ts'
import { createStreamMetrics } from './stream-metrics.ts'
import { readStreamStatus, type StreamStatus } from './stream-status.ts'

export interface IngestStream extends AsyncDisposable {
  /** Takes the messages of devices on a gateway. */
  ingest: Ingest
  /** Stores what is in the stream on this node, which must have joined; until it is disposed. */
  consume(): Promise<AsyncDisposable>
  /** Returns how long messages have waited here for the stream, or for a commit that fails; 0 where none waits. */
  longestWaitMs(): number
  state(): StreamState
  readStatus(): Promise<StreamStatus>
}

export const usesStream = (config: Config): config is Config & NatsSettings => config.ingest === 'stream'

const LOOK_EVERY_MS = 1000

/** @throws NatsUnusableError, StoppedError */
export async function openIngestStream(ctx: StreamContext, patience: Patience = {}): Promise<IngestStream> {
  const prefix = await readSubjectPrefix(ctx.pool)
  const settings = {
    name: streamName(prefix),
    subject: `${prefix}.ingest.*.*`,
    maxBytes: ctx.config.streamBytes,
  }
  const partitions = await insertPartitions(ctx.db)
  let found: { manager: JetStreamManager; info: StreamInfo } | undefined
  const nats = await connectToNats(ctx.config, {
    ...patience,
    log: ctx.log,
    name: 'ingest',
    prepare: async (connection) => {
      requireUsable(connection)
      const manager = await jetstreamManager(connection)
      found = { manager, info: await ensureStream({ nats: connection, manager, log: ctx.log }, settings) }
    },
  })
  const { manager, info } = found!
  const stream: StreamConnection = {
    nats,
    manager,
    publisher: jetstream(nats),
    prefix,
    name: settings.name,
    partitions,
    state: 'ok',
    answeredMs: performance.now(),
    info,
    batches: new Map(),
    onLook: async () => {},
  }
  const look = async (): Promise<void> => {
    const startedMs = performance.now()
    try {
      await lookAt(ctx, stream, settings.subject)
      await stream.onLook()
    } catch (error) {
      // A look that began before the stream was back ends late.
      if (stream.answeredMs < startedMs) setState(ctx, stream, 'away', error)
      if (!isStreamNotFound(error)) return
      ctx.log.error({ stream: stream.name }, 'the stream of ingest was deleted; it is made again, empty')
      await ensureStream({ nats, manager, log: ctx.log }, settings).catch(() => {})
    }
  }
  let looking: Promise<void> | undefined
  const timer = setInterval(() => {
    looking ??= look().finally(() => (looking = undefined))
  }, LOOK_EVERY_MS)
  createStreamMetrics(ctx.metrics.registry, stream)
  const ingest = createPublisher(ctx, stream)
  let consumer: Consumer | undefined
  return {
    ingest,
    consume: async () => (consumer = await startConsumer(ctx, stream)),
    longestWaitMs: () => Math.max(ingest.longestWaitMs(), consumer?.longestWaitMs() ?? 0),
    state: () => stream.state,
    readStatus: async () => {
      await lookAt(ctx, stream, settings.subject).catch((error: unknown) =>
        setState(ctx, stream, 'away', error),
      )
      return readStreamStatus(ctx, stream)
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await looking
      await closeNats(nats)
    },
  }
}

async function lookAt(ctx: StreamContext, stream: StreamConnection, subject: string): Promise<void> {
  const info = await stream.manager.streams.info(stream.name, { subjects_filter: subject })
  stream.info = info
  stream.answeredMs = performance.now()
  stream.batches = new Map(
    Object.entries(info.state.subjects ?? {}).flatMap(([name, batches]) => {
      const place = parsePlace(name)
      return place ? [[formatPlace(place), batches]] : []
    }),
  )
  const hasRoom = info.state.bytes + MAX_BATCH_BYTES <= info.config.max_bytes
  if (stream.state === 'away' || hasRoom) setState(ctx, stream, 'ok')
}
