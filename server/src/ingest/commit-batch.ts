/** Commits a batch of messages: retries while that may help, and divides the batch where a single message is at fault. */
import { isFaultOfData, retry } from '../lib/retry.ts'
import type { MessageBatch, StoreContext } from './batch.ts'
import { reportDeadLetters } from './dead-letters/report.ts'
import { createDeadLetter, insertDeadLetters } from './dead-letters/store.ts'
import type { DeadLetter, DeviceMessage } from './message.ts'
import { storeDivided } from './store-divided.ts'
import { UnreadableError } from './unreadable.ts'

/**
 * How long messages wait for an unavailable database. After that their connections are closed, and the devices keep the
 * messages.
 */
export const PATIENCE_MS = 30_000

/** @throws when the messages are not stored; then none of them is */
type StoreBatch = (ctx: StoreContext, batch: MessageBatch) => Promise<void>

/** @returns a function that throws when the messages are not stored; then none of them is */
export const createBatchCommit =
  (ctx: StoreContext, store: StoreBatch, nextTurn?: () => Promise<void>) =>
  (messages: DeviceMessage[], earlier: Promise<unknown>): Promise<void> =>
    storeDivided(
      ctx,
      {
        store: (part) => storePatiently(ctx, store, { messages: part, earlier, nextTurn }),
        isFaultOfOne: isFaultOfData,
        keepRefused: (message, refusal) => storeDeadLetters(ctx, [refuseMessage(ctx, message, refusal)]),
      },
      messages,
    )

async function storePatiently(ctx: StoreContext, store: StoreBatch, batch: MessageBatch): Promise<void> {
  await retry(patienceMs(batch), (triesBefore) => store(ctx, triesBefore === 0 ? batch : asRepeats(batch)))
  ctx.activity.record(batch.messages)
}

/** The waiting time so far is at least 0, even if the clock was set back meanwhile. */
const patienceMs = ({ messages }: MessageBatch) =>
  PATIENCE_MS - Math.max(0, Date.now() - messages[0]!.receivedAtMs)

/** A failed attempt may have been committed all the same, with only its answer lost. */
const asRepeats = (batch: MessageBatch): MessageBatch => ({
  ...batch,
  messages: batch.messages.map((message) => ({ ...message, isRepeat: true })),
})

/** Logs why a message cannot be stored. */
export function refuseMessage(
  { log }: Pick<StoreContext, 'log'>,
  message: DeviceMessage,
  refusal: Error,
): DeadLetter {
  log.error({ err: refusal, device: message.device.id }, 'the database refused a message that had been read')
  const text = 'The database does not take a value of this message. The server log has the details.'
  return createDeadLetter(message, new UnreadableError('refused_by_storage', text))
}

export const createDeadLetterCommit =
  (ctx: StoreContext) =>
  (letters: DeadLetter[]): Promise<void> =>
    retry(PATIENCE_MS, () => storeDeadLetters(ctx, letters))

async function storeDeadLetters(ctx: StoreContext, letters: DeadLetter[]): Promise<void> {
  await insertDeadLetters(ctx.db, letters)
  reportDeadLetters(ctx, letters)
}
