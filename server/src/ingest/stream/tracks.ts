/** Reads the batches of partitions from the stream, each in its order. */
import { decodeBatch, type StreamRecord, UnreadableBatchError } from './batch-format.ts'
import type { Held, Position } from './partitions.ts'
import { batchSubject, type StreamConnection } from './state.ts'

/** A lane of a partition that this node stores. Its position is that of the next message to read. */
export interface Track extends Held {
  /** The greatest sequence number that a gateway told. */
  noticed: number
  /** Whether batches may wait in the stream. */
  mayHaveMore: boolean
  /** When the oldest batch that was read and is not stored came; undefined if there is none. */
  waitingSinceMs: number | undefined
  /** The number of the round in which it was read last. */
  round: number
}

export const createTrack = (held: Held): Track => ({
  ...held,
  noticed: 0,
  mayHaveMore: true,
  waitingSinceMs: undefined,
  round: 0,
})

export const isReady = ({ mayHaveMore, noticed, sequence }: Track): boolean =>
  mayHaveMore || noticed >= sequence

/** A message of a batch. */
export interface Entry {
  track: Track
  record: StreamRecord
  /** The position before the message: that of its track, or `next` of the message before it. */
  from: Position
  /** The position after the message. */
  next: Position
}

/** What is in the stream in the place of a batch. */
export interface Unreadable {
  track: Track
  sequence: number
  receivedAt: Date
  reason: string
  payload: Buffer
}

export interface ReadTrack {
  entries: Entry[]
  /** Found behind the entries. */
  unreadable: Unreadable | undefined
}

/** At least one batch is read, whatever its size. */
export interface ReadLimits {
  messages: number
  bytes: number
}

/** @throws while the stream does not answer */
export async function readTrack(
  stream: StreamConnection,
  track: Track,
  limits: ReadLimits,
): Promise<ReadTrack> {
  const entries: Entry[] = []
  let bytes = 0
  let from: Position = { sequence: track.sequence, part: track.part }
  track.waitingSinceMs = undefined
  while (entries.length < limits.messages && bytes < limits.bytes) {
    const found = await findBatch(stream, track, from.sequence)
    if (!found) {
      track.mayHaveMore = false
      break
    }
    const { sequence, receivedAt, payload } = found
    track.waitingSinceMs ??= receivedAt.getTime()
    bytes += payload.length
    try {
      entries.push(...readEntries(track, found, from))
    } catch (error) {
      if (!(error instanceof UnreadableBatchError)) throw error
      return { entries, unreadable: { track, sequence, receivedAt, reason: error.message, payload } }
    }
    from = { sequence: sequence + 1, part: 0 }
  }
  return { entries, unreadable: undefined }
}

interface Found {
  sequence: number
  receivedAt: Date
  payload: Buffer
}

/** @returns the first batch from the sequence number on; undefined if there is none, or if it did not reach the server that answers */
export async function findBatch(
  stream: StreamConnection,
  place: Pick<Track, 'lane' | 'partition'>,
  sequence: number,
): Promise<Found | undefined> {
  const found = await stream.manager.direct.getMessage(stream.name, {
    seq: sequence,
    next_by_subj: batchSubject(stream, place),
  })
  if (!found) return undefined
  const { data } = found
  const payload = Buffer.from(data.buffer, data.byteOffset, data.length)
  return { sequence: found.seq, receivedAt: found.time, payload }
}

/** @param from the position that is reached so far @throws UnreadableBatchError */
function readEntries(track: Track, { sequence, payload }: Found, from: Position): Entry[] {
  const { records, isSentBefore } = decodeBatch(payload)
  if (track.lane === 'dead_letters' && records.some(({ letter }) => !letter))
    throw new UnreadableBatchError('it has messages without a reason among the dead letters')
  const part = sequence === from.sequence ? from.part : 0
  const positionAfter = (place: number): Position =>
    place + 1 < records.length ? { sequence, part: place + 1 } : { sequence: sequence + 1, part: 0 }
  return records.slice(part).map((record, index) => ({
    track,
    record: isSentBefore ? { ...record, isRepeat: true } : record,
    from: index === 0 ? from : { sequence, part: part + index },
    next: positionAfter(part + index),
  }))
}
