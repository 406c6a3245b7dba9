/** Reads the batches of partitions from the stream, each in its order. */
import { decodeBatch, type StreamRecord, UnreadableBatchError } from './batch-format.ts'
import { type Held, moveTo, type Position } from './partitions.ts'
import { batchSubject, type StreamConnection } from './state.ts'

/** A lane of a partition that this node stores. Its position is that of the next message to store. */
export interface Track extends Held {
  /** The server of NATS that answered so far. One that was started again may have lost the end of the stream. */
  server: string
  /** The sequence number from which batches are read. Behind the position it finds what was stored, or took its place. */
  readFrom: number
  /** The sequence numbers of batches that are stored and not deleted yet. */
  stored: Set<number>
  /** The greatest sequence number that a gateway told. */
  noticed: number
  /** Whether batches may wait in the stream. */
  mayHaveMore: boolean
  /** When the oldest batch that was read and is not stored came; undefined if there is none. */
  waitingSinceMs: number | undefined
  /** The number of the round in which it was read last. */
  round: number
}

/** @param server see `findServer` */
export const createTrack = (held: Held, server: string): Track => ({
  ...held,
  server,
  readFrom: 1,
  stored: new Set(),
  noticed: 0,
  mayHaveMore: true,
  waitingSinceMs: undefined,
  round: 0,
})

export const isReady = ({ mayHaveMore, noticed, readFrom, sequence }: Track): boolean =>
  mayHaveMore || noticed >= Math.max(readFrom, sequence)

/** @returns the server that this node is connected to, another one after each of its starts */
export const findServer = ({ nats }: StreamConnection): string => nats.info!.server_id

export const getPosition = ({ sequence, part, batchTime }: Position): Position => ({
  sequence,
  part,
  batchTime,
})

/** A message of a batch. */
export interface Entry {
  track: Track
  record: StreamRecord
  /** Its batch: see `StreamBatch`. */
  sender: string
  number: number
  /** The number of its batch in the stream. */
  sequence: number
  /** The device may have sent the message to another node before it was published. */
  mayBeLate: boolean
  /** The position before the message: that of its track, or `next` of the message before it. */
  from: Position
  /** The position after the message. */
  next: Position
}

/** A message of the stream that is no readable batch. */
export interface Unreadable {
  track: Track
  sequence: number
  time: bigint
  receivedAt: Date
  reason: string
  payload: Buffer
}

export interface ReadTrack {
  entries: Entry[]
  /** The sequence numbers of all batches that were found, those that are stored already included. */
  found: number[]
  /** Found behind the entries. */
  unreadable: Unreadable | undefined
  /** The sequence number from which the track is read next, once this is stored. */
  readFrom: number
}

/** At least one batch is read, whatever its size. */
export interface ReadLimits {
  messages: number
  bytes: number
}

/** @throws while the stream does not answer, and once after another server answered */
export async function readTrack(
  stream: StreamConnection,
  track: Track,
  limits: ReadLimits,
): Promise<ReadTrack> {
  const entries: Entry[] = []
  const sequences: number[] = []
  let bytes = 0
  let from = getPosition(track)
  let { readFrom } = track
  track.waitingSinceMs = undefined
  while (entries.length < limits.messages && bytes < limits.bytes && isReady({ ...track, readFrom })) {
    const found = await findBatch(stream, track, readFrom)
    if (findServer(stream) !== track.server) throw new Error('the server of NATS is another one')
    if (!found) {
      track.mayHaveMore = false
      break
    }
    const { sequence, time, receivedAt, payload } = found
    readFrom = sequence + 1
    if (isStored(from, found)) {
      sequences.push(sequence)
      continue
    }
    track.waitingSinceMs ??= receivedAt.getTime()
    bytes += payload.length
    try {
      entries.push(...readEntries(track, found, from))
    } catch (error) {
      if (!(error instanceof UnreadableBatchError)) throw error
      const unreadable = { track, sequence, time, receivedAt, reason: error.message, payload }
      return { entries, found: sequences, unreadable, readFrom: sequence }
    }
    sequences.push(sequence)
    from = moveTo(from, time, { sequence: readFrom, part: 0 })
  }
  return { entries, found: sequences, unreadable: undefined, readFrom }
}

/** A later batch before the position has the number of one that the stream lost. */
const isStored = (position: Position, { sequence, time }: Found): boolean =>
  sequence < position.sequence && time <= position.batchTime

interface Found {
  sequence: number
  /** When the stream stored it: nanoseconds since 1970. */
  time: bigint
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
  return { sequence: found.seq, time: parseNanoseconds(found.timestamp), receivedAt: found.time, payload }
}

/** @param timestamp in UTC, with up to nine decimals */
function parseNanoseconds(timestamp: string): bigint {
  const [second, decimals = ''] = timestamp.replace('Z', '').split('.')
  return BigInt(Date.parse(`${second}Z`)) * 1_000_000n + BigInt(decimals.padEnd(9, '0'))
}

/** @param from the position that is reached so far @throws UnreadableBatchError */
function readEntries(track: Track, { sequence, time, payload }: Found, from: Position): Entry[] {
  const { records, isSentBefore, ...batch } = decodeBatch(payload)
  if (track.lane === 'dead_letters' && records.some(({ letter }) => !letter))
    throw new UnreadableBatchError('it has messages without a reason among the dead letters')
  const part = sequence === from.sequence && time <= from.batchTime ? from.part : 0
  const positionAt = (place: number): Position =>
    moveTo(
      from,
      time,
      place < records.length ? { sequence, part: place } : { sequence: sequence + 1, part: 0 },
    )
  return records.slice(part).map((record, index) => ({
    track,
    record: isSentBefore ? { ...record, isRepeat: true } : record,
    ...batch,
    sequence,
    from: index === 0 ? from : positionAt(part + index),
    next: positionAt(part + index + 1),
  }))
}
