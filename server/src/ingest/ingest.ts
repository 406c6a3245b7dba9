/**
 * The way in. A message is handed over, and its sender hears when it is durable: then, and no earlier, it may be
 * acknowledged. [docs/mqtt#acknowledgement]
 */
import type { Context } from '../context.ts'
import { commitBatch, keepDeadLetters } from './batch.ts'
import { createGroupCommit, type Done } from './group-commit.ts'
import { ingestReported } from './ingest-reported.ts'
import { ingestTelemetry } from './ingest-telemetry.ts'
import { keepTrying, PATIENCE_MS } from './keep-trying.ts'
import type { DeadLetter, DeviceMessage } from './message.ts'

export interface Ingest {
  /** @param done called once the message is durable, or with the error that kept it from being so */
  telemetry(message: DeviceMessage, done: Done): void
  /** In order, for each device. */
  reported(message: DeviceMessage, done: Done): void
  deadLetter(letter: DeadLetter, done: Done): void
  /** Settles when everything handed over before is done, well or not. */
  settled(): Promise<void>
  /** How long the oldest message has waited for its commit; 0 where none waits. */
  longestWaitMs(): number
}

const MAX_BATCH_BYTES = 8 * 1024 * 1024
/**
 * Messages that are larger have batches of their own, so that whoever sends many of them does not hold up those who send
 * small ones: reading a megabyte, and what its transforms and alarms make of it, takes some tens of milliseconds.
 */
const LARGE_BYTES = 16 * 1024
const MAX_LARGE_BATCH_BYTES = 256 * 1024

export function createIngest(ctx: Context): Ingest {
  const flush = (messages: DeviceMessage[], earlier: Promise<unknown>) =>
    commitBatch(ctx, messages, (batchCtx, batch) => ingestTelemetry(batchCtx, batch, earlier))
  const telemetry = createGroupCommit({ flush, maxItems: 2000, maxBytes: MAX_BATCH_BYTES, concurrency: 4 })
  const large = createGroupCommit({ flush, maxItems: 50, maxBytes: MAX_LARGE_BATCH_BYTES, concurrency: 2 })
  const reported = createGroupCommit<DeviceMessage>({
    flush: (messages) => commitBatch(ctx, messages, ingestReported),
    maxItems: 500,
    maxBytes: MAX_BATCH_BYTES,
    concurrency: 1,
  })
  const deadLetters = createGroupCommit<DeadLetter>({
    flush: (letters) => keepTrying(PATIENCE_MS, () => keepDeadLetters(ctx, letters)),
    maxItems: 500,
    maxBytes: MAX_BATCH_BYTES,
    concurrency: 1,
  })
  const lanes = [telemetry, large, reported, deadLetters]
  return {
    telemetry: (message, done) => {
      const { length } = message.payload
      const lane = length > LARGE_BYTES ? large : telemetry
      lane.submit(message, length, done)
    },
    reported: (message, done) => reported.submit(message, message.payload.length, done),
    deadLetter: (letter, done) => deadLetters.submit(letter, letter.message.payload.length, done),
    settled: async () => void (await Promise.all(lanes.map((lane) => lane.settled()))),
    longestWaitMs: () => Math.max(...lanes.map((lane) => lane.longestWaitMs())),
  }
}
