/**
 * Recognizes a batch that a gateway has published again and that comes first then: the first try was held up on its way, as in a
 * NATS server that hung. Each process counts its batches, and publishes those of a partition one after the other.
 *
 * The stream is not asked to recognize batches by an id of each message (`Nats-Msg-Id`): a server of NATS 2.9 that was started again
 * does not know the ids of deleted messages, and numbers what follows differently from the others then.
 */
import { type BoundedCache, createBoundedCache } from '../../lib/bounded-cache.ts'
import { formatPlace } from './lanes.ts'
import type { Entry } from './tracks.ts'

/** The last batch that was stored, by its place and the process that published it. */
export type LatestBatches = BoundedCache<string, Batch>

interface Batch {
  number: number
  /** Its number in the stream. */
  sequence: number
}

/** Some processes in each partition. */
const MAX_BATCHES = 10_000

export const createLatestBatches = (): LatestBatches => createBoundedCache(MAX_BATCHES)

/** Marks the messages of batches that do not follow the one before of their process. @param entries in their order */
export function markRepeats(latest: LatestBatches, entries: Entry[]): void {
  // They may fail to be stored, and are looked at again then.
  const ofEntries = new Map<string, Batch>()
  for (const entry of entries) {
    const { name, batch } = describe(entry)
    const before = ofEntries.get(name) ?? latest.get(name)
    if (before && isBehind(batch, before)) entry.record.isRepeat = true
    else ofEntries.set(name, batch)
  }
}

const isBehind = (batch: Batch, before: Batch): boolean =>
  batch.number < before.number || (batch.number === before.number && batch.sequence !== before.sequence)

/** @param entries those that are stored now */
export function rememberBatches(latest: LatestBatches, entries: Entry[]): void {
  for (const entry of entries) {
    const { name, batch } = describe(entry)
    const before = latest.get(name)
    if (!before || batch.number >= before.number) latest.set(name, batch)
  }
}

const describe = ({ track, sender, number, sequence }: Entry) => ({
  name: `${formatPlace(track)} ${sender}`,
  batch: { number, sequence },
})
