/**
 * Fills up what NATS stores of a batch, so that a full stream loses nothing. [docs/stream#partitions]
 *
 * A server of NATS 2.9 compares only the headers and the payload of a batch with the room that is left. So it stores more than
 * fits, and deletes the oldest batches for that, although their messages were acknowledged (nats-server issue 4771). What it leaves out
 * of a record is less than `UNIT`. Where the limit of the stream and all records are multiples of it, nothing is stored that
 * does not fit.
 */
import { headers, type MsgHdrs } from '@nats-io/transport-node'

const UNIT = 128
/** Bytes of a record in a file of NATS without its subject, headers and payload: lengths, sequence number, time and checksum. */
const RECORD_BYTES = 34
const HEADER = 'Gangway-Fill'
const EMPTY_HEADERS_BYTES = `NATS/1.0\r\n${HEADER}: \r\n\r\n`.length

/** @returns the greatest limit of a stream that `fillUp` can keep */
export const roundLimit = (bytes: number): number => bytes - (bytes % UNIT)

/**
 * @param serverVersion undefined while no server is connected: the next one may need it
 * @returns headers with which the record of the batch has the right size; undefined where the server needs none
 */
export function fillUp(
  serverVersion: string | undefined,
  subject: string,
  batch: Buffer,
): MsgHdrs | undefined {
  if (serverVersion !== undefined && comparesRecords(serverVersion)) return undefined
  const bytes = RECORD_BYTES + subject.length + EMPTY_HEADERS_BYTES + batch.length
  const filled = headers()
  filled.set(HEADER, '0'.repeat(UNIT - (bytes % UNIT)))
  return filled
}

/** Versions from 2.10.5 on do; 2.11 is the first of which each does. */
function comparesRecords(serverVersion: string): boolean {
  const [major = 0, minor = 0] = serverVersion.split('.').map(Number)
  return major > 2 || (major === 2 && minor >= 11)
}
