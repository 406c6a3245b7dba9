/** Commits a batch of messages: retries while that may help, and divides the batch where a single message is at fault. */
import { isFaultOfData, retry } from '../lib/retry.ts'
import { mayHaveMoved, MayHaveMovedError, type MessageBatch, type StoreContext } from './batch.ts'
import { reportDeadLetters } from './dead-letters/report.ts'
import { createDeadLetter, insertDeadLetters } from './dead-letters/store.ts'
import { nameSender, SendersMovedError } from './lock-senders.ts'
import type { DeadLetter, DeviceMessage } from './message.ts'
import type { Outcome } from './unanswered.ts'
import { storeDivided } from './store-divided.ts'
import { UnreadableError } from './unreadable.ts'

/**
 * How long messages wait for an unavailable database. After that their connections are closed, and the devices keep the
 * messages.
 */
export const PATIENCE_MS = 30_000

/** @throws when the messages are not stored; then none of them is */
type StoreBatch = (ctx: StoreContext, batch: MessageBatch) => Promise<void>

interface Commit {
  ctx: StoreContext
  store: StoreBatch
  /** The openings of sessions whose messages their devices send again: see `lockSenders`. */
  moved: Map<string, Error>
}

/** @returns a function that throws when the messages are not stored; then none of them is */
export const createBatchCommit =
  (ctx: StoreContext, store: StoreBatch, nextTurn?: () => Promise<void>) =>
  async (
    messages: DeviceMessage[],
    earlier: Promise<unknown>,
  ): Promise<ReadonlyMap<DeviceMessage, Error> | void> => {
    const unanswered: Outcome[] = []
    const commit: Commit = { ctx, store, moved: new Map() }
    try {
      await storeDivided(
        ctx,
        {
          store: (part) => storePatiently(commit, { messages: part, earlier, nextTurn, unanswered }),
          isFaultOfOne: isFaultOfData,
          keepRefused: (message, refusal) => storeDeadLetters(ctx, [refuseMessage(ctx, message, refusal)]),
        },
        messages,
      )
    } finally {
      // Nobody learns whether they are stored: a device that sends them again makes repeats.
      if (unanswered.length > 0) ctx.push.restartConnections()
    }
    if (commit.moved.size > 0) return findRefused(commit, messages)
  }

function findRefused({ moved }: Commit, messages: DeviceMessage[]): Map<DeviceMessage, Error> {
  const refused = new Map<DeviceMessage, Error>()
  for (const message of messages) {
    const error = moved.get(nameSender(message) ?? '')
    if (error) refused.set(message, error)
  }
  return refused
}

async function storePatiently(commit: Commit, batch: MessageBatch): Promise<void> {
  await retry(patienceMs(batch), (triesBefore) => storePresent(commit, batch, triesBefore))
  commit.ctx.activity.record(batch.messages)
}

/**
 * Stores the messages but those of devices that have moved. A failed attempt may have been committed all the same, with only
 * its answer lost.
 */
async function storePresent(commit: Commit, batch: MessageBatch, triesBefore: number): Promise<void> {
  const { ctx, store, moved } = commit
  const locksSenders = mayHaveMoved(ctx, batch.messages)
  const present =
    moved.size === 0
      ? batch.messages
      : batch.messages.filter((message) => !moved.has(nameSender(message) ?? ''))
  if (present.length === 0) return
  const messages = triesBefore === 0 ? present : present.map((message) => ({ ...message, isRepeat: true }))
  try {
    await store(ctx, { ...batch, messages, locksSenders })
  } catch (error) {
    if (error instanceof SendersMovedError) for (const opening of error.moved) moved.set(opening, error)
    else if (!(error instanceof MayHaveMovedError)) throw error
    await storePresent(commit, batch, triesBefore)
  }
}

/** The waiting time so far is at least 0, even if the clock was set back meanwhile. */
const patienceMs = ({ messages }: MessageBatch) =>
  PATIENCE_MS - Math.max(0, Date.now() - messages[0]!.receivedAtMs)

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
    retry(PATIENCE_MS, (triesBefore) =>
      storeDeadLetters(ctx, triesBefore === 0 ? letters : letters.map(asRepeat)),
    )

/** A failed attempt may have been committed all the same, with only its answer lost. */
const asRepeat = ({ message, ...letter }: DeadLetter): DeadLetter => ({
  ...letter,
  message: { ...message, isRepeat: true },
})

async function storeDeadLetters(ctx: StoreContext, letters: DeadLetter[]): Promise<void> {
  await insertDeadLetters(ctx.db, letters)
  reportDeadLetters(ctx, letters)
}
