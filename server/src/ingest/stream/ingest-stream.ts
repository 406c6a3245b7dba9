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
import { ensureStream, requireUsable, streamName, type StreamSettings } from './ensure-stream.ts'
import { insertPartitions } from './partitions.ts'
import { createPublisher } from './publish-batches.ts'
import { roundLimit } from './record-size.ts'
import type { StreamConnection, StreamContext, StreamState } from './state.ts'
import { createStreamMetrics } from './stream-metrics.ts'
import { createStatusReader, findStoredUntilMs, type StreamStatus } from './stream-status.ts'
import { watchStream } from './watch-stream.ts'

export interface IngestStream extends AsyncDisposable {
  /** Takes the messages of devices on a gateway. */
  ingest: Ingest
  /** Stores what is in the stream on this node, which must have joined; until it is disposed. */
  consume(): Promise<AsyncDisposable>
  /** Returns how long messages have waited here for the stream, or for a commit that fails; 0 where none waits. */
  longestWaitMs(): number
  state(): StreamState
  /** Reads which messages wait. All callers share a reading, which may be some seconds old. */
  readStatus(): Promise<StreamStatus>
  /** Returns the time up to which all that arrived is stored, in ms since 1970; undefined while that is not known. */
  readStoredUntilMs(): Promise<number | undefined>
}

export const usesStream = (config: Config): config is Config & NatsSettings => config.ingest === 'stream'

/** @throws NatsUnusableError, StoppedError */
export async function openIngestStream(ctx: StreamContext, patience: Patience = {}): Promise<IngestStream> {
  const prefix = await readSubjectPrefix(ctx.pool)
  const settings: StreamSettings = {
    name: streamName(prefix),
    subject: `${prefix}.ingest.*.*`,
    maxBytes: roundLimit(ctx.config.streamBytes),
  }
  const stream = { ...(await connectToStream(ctx, settings, patience)), prefix }
  const watch = watchStream(ctx, stream, settings)
  createStreamMetrics(ctx.metrics.registry, stream)
  const readStatus = createStatusReader(ctx, stream)
  const ingest = createPublisher(ctx, stream)
  let consumer: Consumer | undefined
  return {
    ingest,
    consume: async () => (consumer = await startConsumer(ctx, stream)),
    longestWaitMs: () => Math.max(ingest.longestWaitMs(), consumer?.longestWaitMs() ?? 0),
    state: () => stream.state,
    readStatus,
    readStoredUntilMs: async () => findStoredUntilMs(await readStatus()),
    [Symbol.asyncDispose]: async () => {
      await watch[Symbol.asyncDispose]()
      await closeNats(stream.nats)
    },
  }
}

async function connectToStream(
  ctx: StreamContext,
  settings: StreamSettings,
  patience: Patience,
): Promise<Omit<StreamConnection, 'prefix'>> {
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
  return {
    nats,
    ...found!,
    publisher: jetstream(nats),
    name: settings.name,
    partitions,
    state: 'ok',
    answeredMs: performance.now(),
    lookedAt: new Date(0),
    batches: new Map(),
    onLook: async () => {},
  }
}
