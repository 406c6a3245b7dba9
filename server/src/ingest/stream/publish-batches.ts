/**
 * Takes the messages of devices on a gateway: they gather in batches for each lane and partition, and are acknowledged
 * once the stream has stored their batch. [docs/stream#what-devices-see]
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { JetStreamApiError } from '@nats-io/jetstream'
import { RequestError } from '@nats-io/transport-node'
import { dropIfStuck } from '../../lib/nats.ts'
import { mayHaveMoved } from '../batch.ts'
import { PATIENCE_MS } from '../commit-batch.ts'
import {
  createGroupCommit,
  type Done,
  type GroupCommit,
  longestWaitMs,
  settled,
  submit,
} from '../group-commit.ts'
import type { Ingest } from '../ingest.ts'
import {
  type BatchItem,
  encodeBatch,
  formatBatchId,
  itemBytes,
  markLate,
  markSentBefore,
} from './batch-format.ts'
import { findPartition, formatPlace, type Place } from './lanes.ts'
import { fillUp } from './record-size.ts'
import { batchSubject, noticeSubject, setState, type StreamConnection, type StreamContext } from './state.ts'

/** With one more message of the largest size, a batch is smaller than `MAX_BATCH_BYTES`. */
const GATHERED_BYTES = 128 * 1024
const GATHERED_MESSAGES = 500
const ACKNOWLEDGE_MS = 5000
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2000
const MAXIMUM_BYTES_EXCEEDED = 10077

interface Publisher {
  ctx: Pick<StreamContext, 'log' | 'metrics' | 'nodes'>
  stream: StreamConnection
  /** Identifies the batches of this process. */
  sender: string
  published: number
}

interface Queued extends BatchItem {
  failuresBefore: number
}

/** The batches of a partition leave one after the other, so that none overtakes another. */
interface Lane {
  queue: GroupCommit<Queued>
  /** The number of batches that failed. */
  failures: number
}

export function createPublisher(
  ctx: Pick<StreamContext, 'log' | 'metrics' | 'nodes'>,
  stream: StreamConnection,
): Ingest {
  const publisher: Publisher = { ctx, stream, sender: randomUUID(), published: 0 }
  const lanes = new Map<string, Lane>()
  const put = (place: Place, item: BatchItem, done: Done) => {
    const lane = getLane(publisher, lanes, place)
    submit(lane.queue, { ...item, failuresBefore: lane.failures }, itemBytes(item), done)
  }
  const placeOf = (lane: Place['lane'], { number }: { number: number }): Place => ({
    lane,
    partition: findPartition(number, stream.partitions),
  })
  const queues = () => [...lanes.values()].map(({ queue }) => queue)
  return {
    telemetry: (message, done) =>
      put(placeOf('telemetry', message.device), { message, letter: undefined }, done),
    reported: (message, done) =>
      put(placeOf('reported', message.device), { message, letter: undefined }, done),
    deadLetter: ({ message, reason, text }, done) =>
      put(placeOf('dead_letters', message.device), { message, letter: { reason, text } }, done),
    settled: async () => void (await Promise.all(queues().map((queue) => settled(queue)))),
    longestWaitMs: () => Math.max(0, ...queues().map((queue) => longestWaitMs(queue))),
  }
}

function getLane(publisher: Publisher, lanes: Map<string, Lane>, place: Place): Lane {
  const name = formatPlace(place)
  const known = lanes.get(name)
  if (known) return known
  const lane: Lane = {
    failures: 0,
    queue: createGroupCommit({
      flush: (items) => flush(publisher, lane, { place, items }),
      maxItems: GATHERED_MESSAGES,
      maxBytes: GATHERED_BYTES,
      concurrency: 1,
    }),
  }
  lanes.set(name, lane)
  return lane
}

interface Batch {
  place: Place
  items: Queued[]
}

/**
 * The connections of a failed batch are closed, and their devices send its messages again. What arrived on them after it
 * must not overtake it, and fails too.
 */
async function flush(publisher: Publisher, lane: Lane, batch: Batch): Promise<void> {
  try {
    if (batch.items[0]!.failuresBefore < lane.failures)
      throw new Error('an earlier message could not be published')
    await publish(publisher, batch)
  } catch (error) {
    // A refused batch counts as well: it may have messages that came after the failure, and others follow these.
    lane.failures++
    throw error
  }
}

/** @throws once the devices have waited too long */
async function publish(publisher: Publisher, { place, items }: Batch): Promise<void> {
  const { ctx, stream, sender } = publisher
  const stopTimer = ctx.metrics.ingestPublishSeconds.startTimer()
  const id = formatBatchId({ sender, number: ++publisher.published })
  const bytes = encodeBatch(id, items)
  const messages = items.map(({ message }) => message)
  const waitedMs = Math.max(0, Date.now() - items[0]!.message.receivedAtMs)
  const deadlineMs = performance.now() + PATIENCE_MS - waitedMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      if (mayHaveMoved(ctx, messages)) markLate(bytes)
      const subject = batchSubject(stream, place)
      const filled = fillUp(stream.nats.info?.version, subject, bytes)
      const { seq } = await stream.publisher.publish(subject, bytes, {
        timeout: ACKNOWLEDGE_MS,
        ...(filled && { headers: filled }),
      })
      // A full stream that takes this batch may refuse the next one: the look at the stream decides.
      if (stream.state === 'away') setState(ctx, stream, 'ok')
      stream.answeredMs = performance.now()
      stream.nats.publish(noticeSubject(stream, place), `${seq}`)
      stopTimer()
      return
    } catch (error) {
      dropIfStuck(stream.nats)
      setState(ctx, stream, isFull(error) ? 'full' : 'away', error)
      if (performance.now() + pauseMs > deadlineMs || stream.nats.isClosed()) {
        stopTimer()
        throw error
      }
      // A device may use the same packet identifier always: what is not in the stream for certain makes no repeat.
      if (!isRefused(error)) markSentBefore(bytes)
    }
    await sleep(pauseMs)
  }
}

/** The stream answered, or it has no leader, so that NATS gave the batch to nobody. */
const isRefused = (error: unknown) =>
  error instanceof JetStreamApiError || isGivenToNobody((error as Error).cause)

const isGivenToNobody = (cause: unknown) => cause instanceof RequestError && cause.isNoResponders()

const isFull = (error: unknown) => error instanceof JetStreamApiError && error.code === MAXIMUM_BYTES_EXCEEDED
