/**
 * Recognizes what a gateway published late, after its device had opened its session at another one. A gateway that stood still
 * does so. [docs/stream#partitions]
 *
 * Each opening of a session has a greater generation, and a device sends first what was not acknowledged. So the messages of an
 * earlier generation that follow one of a later generation in their partition are there a second time. Only batches of gateways
 * that stood still, or waited long, are looked at: two devices that share a client id both send messages of their own while
 * one displaces the other, and each of these is acknowledged.
 */
import { type BoundedCache, createBoundedCache } from '../../lib/bounded-cache.ts'
import type { Entry } from './tracks.ts'

/** The greatest generation of each session in the messages that were stored, by the number of the session. */
export type Generations = BoundedCache<number, number>

const MAX_SESSIONS = 200_000

export const createGenerations = (): Generations => createBoundedCache(MAX_SESSIONS)

/** @param entries in their order, which follow those that were stored */
export function findLate(generations: Generations, entries: Entry[]): Set<Entry> {
  const late = new Set<Entry>()
  // They may fail to be stored, and are looked at again then.
  const ofEntries = new Map<number, number>()
  for (const entry of entries) {
    const { sender } = entry.record
    if (!sender) continue
    const newest = ofEntries.get(sender.number) ?? generations.get(sender.number) ?? 0
    if (entry.mayBeLate && sender.generation < newest) late.add(entry)
    else ofEntries.set(sender.number, Math.max(sender.generation, newest))
  }
  return late
}

/** @param entries those that are stored now */
export function rememberGenerations(generations: Generations, entries: Entry[]): void {
  for (const { record } of entries) {
    const { sender } = record
    if (sender && sender.generation >= (generations.get(sender.number) ?? 0))
      generations.set(sender.number, sender.generation)
  }
}
