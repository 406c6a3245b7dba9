/**
 * The way in. A message is handed over, and its sender hears when it is durable: then, and no earlier, it may be
 * acknowledged. [contract §6]
 */
import type { Context } from '../context.ts'
import { commitBatch, keepDeadLetters } from './batch.ts'
import type { DeadLetter } from './dead-letters/store.ts'
import { createGroupCommit, type Done } from './group-commit.ts'
import { ingestReported } from './ingest-reported.ts'
import { ingestTelemetry } from './ingest-telemetry.ts'
import { keepTrying, PATIENCE_MS } from './keep-trying.ts'
import type { DeviceMessage } from './message.ts'

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

export function createIngest(ctx: Context): Ingest {
  const telemetry = createGroupCommit<DeviceMessage>({
    flush: (messages, earlier) =>
      commitBatch(ctx, messages, (batchCtx, batch) => ingestTelemetry(batchCtx, batch, earlier)),
    maxItems: 2000,
    maxBytes: MAX_BATCH_BYTES,
    concurrency: 4,
  })
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
  return {
    telemetry: (message, done) => telemetry.submit(message, message.payload.length, done),
    reported: (message, done) => reported.submit(message, message.payload.length, done),
    deadLetter: (letter, done) => deadLetters.submit(letter, letter.message.payload.length, done),
    settled: async () =>
      void (await Promise.all([telemetry.settled(), reported.settled(), deadLetters.settled()])),
    longestWaitMs: () =>
      Math.max(telemetry.longestWaitMs(), reported.longestWaitMs(), deadLetters.longestWaitMs()),
  }
}
