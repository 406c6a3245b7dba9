/**
 * The way in. A message is handed over, and its sender hears when it is durable: then, and no earlier, it may be
 * acknowledged. [docs/mqtt#acknowledgement]
 */
import type { Context } from '../context.ts'
import { createBatchCommit, createDeadLetterCommit } from './commit-batch.ts'
import { createGroupCommit, type Done, longestWaitMs, settled, submit } from './group-commit.ts'
import { storeReported } from './store-reported.ts'
import type { DeadLetter, DeviceMessage } from './message.ts'
import { storeTelemetry } from './store-telemetry.ts'

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
  const flush = createBatchCommit(ctx, storeTelemetry)
  const telemetry = createGroupCommit({ flush, maxItems: 2000, maxBytes: MAX_BATCH_BYTES, concurrency: 4 })
  const large = createGroupCommit({ flush, maxItems: 50, maxBytes: MAX_LARGE_BATCH_BYTES, concurrency: 2 })
  const inOrder = { maxItems: 500, maxBytes: MAX_BATCH_BYTES, concurrency: 1 }
  const reported = createGroupCommit({ flush: createBatchCommit(ctx, storeReported), ...inOrder })
  const deadLetters = createGroupCommit({ flush: createDeadLetterCommit(ctx), ...inOrder })
  const lanes = [telemetry, large, reported, deadLetters]
  return {
    telemetry: (message, done) => {
      const { length } = message.payload
      submit(length > LARGE_BYTES ? large : telemetry, message, length, done)
    },
    reported: (message, done) => submit(reported, message, message.payload.length, done),
    deadLetter: (letter, done) => submit(deadLetters, letter, letter.message.payload.length, done),
    settled: async () => void (await Promise.all(lanes.map((lane) => settled(lane)))),
    longestWaitMs: () => Math.max(...lanes.map((lane) => longestWaitMs(lane))),
  }
}
