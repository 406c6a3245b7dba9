/** One message that is brought by HTTP, and what becomes of it. [docs/providers#import] */
import type { Context } from '../context.ts'
import { ApiError } from '../http/errors.ts'
import type { DeadLetter, Device } from './message.ts'

/** How much may wait for its commit, of all importers together; no more than the broker lets wait. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024

export type ImportKind = 'telemetry' | 'reported'
export type ImportMessage = (kind: ImportKind, device: Device, payload: Buffer) => Promise<void>

/**
 * The function resolves once the message is durable.
 * It throws validation_error for a payload that cannot be read, which is kept as a dead letter all the same, and
 * unavailable when too much waits or the database does not take it.
 */
export function createImporter({ ingest }: Context): ImportMessage {
  let waitingBytes = 0

  return async (kind, device, payload) => {
    if (waitingBytes + payload.length > MAX_WAITING_BYTES)
      throw new ApiError('unavailable', 'Too many imports wait to be stored. Try again.', {}, 5)
    waitingBytes += payload.length
    let letter: DeadLetter | undefined
    const onDeadLetter = (kept: DeadLetter) => void (letter = kept)
    // Each request is a message of its own; what has times of its own and comes again still falls out by them.
    const message = { device, topic: kind, payload, receivedAtMs: Date.now(), packetId: 0, isRepeat: false }
    try {
      await new Promise<void>((resolve, reject) =>
        ingest[kind]({ ...message, onDeadLetter }, (error) => (error ? reject(error) : resolve())),
      )
    } finally {
      waitingBytes -= payload.length
    }
    if (letter) throw unreadable(letter)
  }
}

/** An importer can mend what it sends, and so hears of it; a device only ever hears an acknowledgement. */
const unreadable = ({ reason, text }: DeadLetter) =>
  new ApiError('validation_error', `${text} The payload is kept among the client's dead letters.`, {
    issues: [{ path: 'body', message: text }],
    reason,
  })
