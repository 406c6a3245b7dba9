/**
 * Entry point of all messages. The sender of a message is called back when the message is durable; only then may it be
 * acknowledged. [docs/mqtt#acknowledgement]
 */
import { setTimeout } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { createTurns } from '../lib/take-turns.ts'
import { createBatchCommit, createDeadLetterCommit } from './commit-batch.ts'
import {
  createGroupCommit,
  type Done,
  type GroupCommit,
  isIdle,
  longestWaitMs,
  settled,
  submit,
} from './group-commit.ts'
import { storeReported } from './store-reported.ts'
import type { DeadLetter, DeviceMessage } from './message.ts'
import { storeTelemetry } from './store-telemetry.ts'

export interface Ingest {
  /** @param done called once the message is durable, or with the error that prevented it */
  telemetry(message: DeviceMessage, done: Done): void
  /** Stores the messages of each device in order. */
  reported(message: DeviceMessage, done: Done): void
  deadLetter(letter: DeadLetter, done: Done): void
  /** Resolves when all messages submitted before have ended, successfully or not. */
  settled(): Promise<void>
  /** Returns how long the oldest message has waited for its commit; 0 where none waits. */
  longestWaitMs(): number
}

const MAX_BATCH_BYTES = 8 * 1024 * 1024
/**
 * Larger messages are committed in separate batches, so that clients that send many of them do not hold up small
 * messages: parsing a megabyte and running its transforms and alarms takes tens of milliseconds.
 */
const LARGE_BYTES = 16 * 1024
const MAX_LARGE_BATCH_BYTES = 256 * 1024

const GATHER = { items: 250, ms: 5 }

/** How long work on a large message waits for small ones after each of its turns. */
const YIELD_MS = 15

/**
 * A small message passes the event loop several times on its way into the database. If work on large messages went on in
 * between, the small one would wait for a turn of theirs each time. Batches of large messages take turns, too.
 */
function createYield(small: GroupCommit<DeviceMessage>): () => Promise<void> {
  const nextTurn = createTurns()
  return async () => {
    await nextTurn()
    if (isIdle(small)) return
    await setTimeout(YIELD_MS)
    await nextTurn()
  }
}

export function createIngest(ctx: Context): Ingest {
  const flush = createBatchCommit(ctx, storeTelemetry)
  const telemetry = createGroupCommit({
    flush,
    maxItems: 2000,
    maxBytes: MAX_BATCH_BYTES,
    concurrency: 4,
    gather: GATHER,
  })
  const flushLarge = createBatchCommit(ctx, storeTelemetry, createYield(telemetry))
  const large = createGroupCommit({
    flush: flushLarge,
    maxItems: 50,
    maxBytes: MAX_LARGE_BATCH_BYTES,
    concurrency: 2,
  })
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
