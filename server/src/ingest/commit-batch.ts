/** How a batch of messages gets into the database: tried again while that may help, divided where one message is at fault. */
import { isFaultOfData, retry } from '../lib/retry.ts'
import type { MessageBatch, StoreContext } from './batch.ts'
import { reportDeadLetters } from './dead-letters/report.ts'
import { createDeadLetter, insertDeadLetters } from './dead-letters/store.ts'
import type { DeadLetter, DeviceMessage } from './message.ts'
import { UnreadableError } from './unreadable.ts'

/** How long messages wait for a database that is away; then their connections close, and their devices keep them. */
const PATIENCE_MS = 30_000

/** @throws when none of the messages is stored */
type StoreBatch = (ctx: StoreContext, batch: MessageBatch) => Promise<void>

/** @returns a function that throws when the messages are not stored, none of them */
export const createBatchCommit =
  (ctx: StoreContext, store: StoreBatch) =>
  (messages: DeviceMessage[], earlier: Promise<unknown>): Promise<void> =>
    commitBatch(ctx, store, { messages, earlier })

async function commitBatch(ctx: StoreContext, store: StoreBatch, batch: MessageBatch): Promise<void> {
  const stopTimer = ctx.metrics.ingestCommitSeconds.startTimer()
  try {
    await retry(patienceMs(batch), (triesBefore) => store(ctx, triesBefore === 0 ? batch : asRepeats(batch)))
  } catch (error) {
    if (!isFaultOfData(error)) throw error
    await commitHalves(ctx, store, batch, error as Error)
  } finally {
    stopTimer()
  }
}

/** Where the clock went back meanwhile a message has not waited for a negative time. */
const patienceMs = ({ messages }: MessageBatch) =>
  PATIENCE_MS - Math.max(0, Date.now() - messages[0]!.receivedAtMs)

/** A try that failed may have been stored all the same: the answer to its commit may be lost. */
const asRepeats = (batch: MessageBatch): MessageBatch => ({
  ...batch,
  messages: batch.messages.map((message) => ({ ...message, isRepeat: true })),
})

/** One message that PostgreSQL refuses must not hold up the others. */
async function commitHalves(
  ctx: StoreContext,
  store: StoreBatch,
  { messages, earlier }: MessageBatch,
  refusal: Error,
): Promise<void> {
  if (messages.length === 1) return keepRefused(ctx, messages[0]!, refusal)
  const half = Math.ceil(messages.length / 2)
  await commitBatch(ctx, store, { messages: messages.slice(0, half), earlier })
  await commitBatch(ctx, store, { messages: messages.slice(half), earlier })
}

async function keepRefused(ctx: StoreContext, message: DeviceMessage, refusal: Error): Promise<void> {
  ctx.log.error(
    { err: refusal, device: message.device.id },
    'the database refuses a message that was found readable',
  )
  const text = 'The database does not take a value of this message. The server log says more.'
  await storeDeadLetters(ctx, [createDeadLetter(message, new UnreadableError('refused_by_storage', text))])
}

export const createDeadLetterCommit =
  (ctx: StoreContext) =>
  (letters: DeadLetter[]): Promise<void> =>
    retry(PATIENCE_MS, () => storeDeadLetters(ctx, letters))

async function storeDeadLetters(ctx: StoreContext, letters: DeadLetter[]): Promise<void> {
  await insertDeadLetters(ctx.db, letters)
  reportDeadLetters(ctx, letters)
}
