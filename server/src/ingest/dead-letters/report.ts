import type { Context } from '../../context.ts'
import type { DeadLetter } from '../message.ts'

/** Reports committed dead letters in the metrics, in the log, and to the senders that registered a callback. */
export function reportDeadLetters(
  { metrics, warnOfDevice }: Pick<Context, 'metrics' | 'warnOfDevice'>,
  letters: DeadLetter[],
): void {
  for (const letter of letters) {
    metrics.deadLetters.inc({ reason: letter.reason })
    const { device, topic } = letter.message
    warnOfDevice('a message became a dead letter', {
      device: device.id,
      topic,
      reason: letter.reason,
      message: letter.text,
    })
    letter.message.onDeadLetter?.(letter)
  }
}
