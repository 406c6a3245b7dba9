/** Imports one message that arrives by HTTP. [docs/providers#import] */
import { ApiError } from '../http/errors.ts'
import type { Ingest } from './ingest.ts'
import type { DeadLetter, Device } from './message.ts'

/** Limit of bytes that wait for their commit, for all importers together; no more than the broker's limit. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024

export type ImportKind = 'telemetry' | 'reported'
export type ImportMessage = (kind: ImportKind, device: Device, payload: Buffer) => Promise<void>

/**
 * The function resolves once the message is durable. It throws validation_error for a payload that cannot be read,
 * which is still kept as a dead letter, and unavailable when too much waits or the database does not accept it.
 */
export function createImporter(ingest: Ingest): ImportMessage {
  let waitingBytes = 0

  return async (kind, device, payload) => {
    if (waitingBytes + payload.length > MAX_WAITING_BYTES)
      throw new ApiError('unavailable', 'Too many imports are waiting to be stored. Try again.', {}, 5)
    waitingBytes += payload.length
    let letter: DeadLetter | undefined
    const onDeadLetter = (kept: DeadLetter) => void (letter = kept)
    // Each request is a separate message; samples with their own timestamps that are sent again are still recognized as
    // duplicates.
    const message = {
      device,
      topic: kind,
      payload,
      receivedAtMs: Date.now(),
      packetId: 0,
      isRepeat: false,
      isImported: true as const,
    }
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

/**
 * An importer can correct its payload and therefore receives the error; a device only ever receives an acknowledgement.
 */
const unreadable = ({ reason, text }: DeadLetter) =>
  new ApiError('validation_error', `${text} The payload is kept among the client's dead letters.`, {
    issues: [{ path: 'body', message: text }],
    reason,
  })
