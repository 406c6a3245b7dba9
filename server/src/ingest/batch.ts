/** How a batch of messages gets into the database: tried again while that may help, divided where one message is at fault. */
import type { Context } from '../context.ts'
import { deadLetterOf, insertDeadLetters } from './dead-letters/store.ts'
import { isFaultOfData, keepTrying, PATIENCE_MS } from './keep-trying.ts'
import type { DeadLetter, DeviceMessage } from './message.ts'
import { UnreadableError } from './unreadable.ts'

type Ingest = (ctx: Context, messages: DeviceMessage[]) => Promise<void>

/** @throws when the messages are not stored, none of them */
export async function commitBatch(ctx: Context, messages: DeviceMessage[], ingest: Ingest): Promise<void> {
  // Where the clock went back meanwhile it has not waited for a negative time.
  const waitedMs = Math.max(0, Date.now() - messages[0]!.receivedAtMs)
  const stopTimer = ctx.metrics.ingestCommitSeconds.startTimer()
  try {
    await keepTrying(PATIENCE_MS - waitedMs, (triesBefore) =>
      ingest(ctx, triesBefore === 0 ? messages : messages.map(asRepeat)),
    )
  } catch (error) {
    if (!isFaultOfData(error)) throw error
    await divide(ctx, messages, ingest, error as Error)
  } finally {
    stopTimer()
  }
}

const asRepeat = (message: DeviceMessage): DeviceMessage => ({ ...message, isRepeat: true })

/** One message that PostgreSQL refuses must not hold up the others. */
async function divide(
  ctx: Context,
  messages: DeviceMessage[],
  ingest: Ingest,
  refusal: Error,
): Promise<void> {
  if (messages.length === 1) return keepRefused(ctx, messages[0]!, refusal)
  const half = Math.ceil(messages.length / 2)
  await commitBatch(ctx, messages.slice(0, half), ingest)
  await commitBatch(ctx, messages.slice(half), ingest)
}

async function keepRefused(ctx: Context, message: DeviceMessage, refusal: Error): Promise<void> {
  ctx.log.error(
    { err: refusal, device: message.device.id },
    'the database refuses a message that was found readable',
  )
  const text = 'The database does not take a value of this message. The server log says more.'
  await keepDeadLetters(ctx, [deadLetterOf(message, new UnreadableError('refused_by_storage', text))])
}

export async function keepDeadLetters(ctx: Context, letters: DeadLetter[]): Promise<void> {
  await insertDeadLetters(ctx.db, letters)
  reportDeadLetters(ctx, letters)
}

/** Once they are kept: in the metrics, in the log, and to those senders that want to know. */
export function reportDeadLetters(ctx: Context, letters: DeadLetter[]): void {
  for (const letter of letters) {
    ctx.metrics.deadLetters.inc({ reason: letter.reason })
    const { device, topic } = letter.message
    ctx.warnOfDevice('a message became a dead letter', {
      device: device.id,
      topic,
      reason: letter.reason,
      message: letter.text,
    })
    letter.message.onDeadLetter?.(letter)
  }
}
