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
import { RECENT_SECONDS, type SessionOpening } from './session-openings.ts'
import type { Entry } from './tracks.ts'

/** The sessions of the messages that were stored, by their numbers. */
export interface Generations {
  /** The greatest generation of each session. */
  newest: BoundedCache<number, number>
  /** Openings that were first seen in the last `RECENT_SECONDS`, in the order in which this node learned of them. */
  recent: Map<number, Opening>
}

interface Opening extends Pick<SessionOpening, 'partition' | 'generation'> {
  /** On the clock of `performance.now()`. */
  seenMs: number
}

const MAX_SESSIONS = 200_000
const MAX_RECENT = 50_000

export const createGenerations = (): Generations => ({
  newest: createBoundedCache(MAX_SESSIONS),
  recent: new Map(),
})

/** @param entries in their order, which follow those that were stored */
export function findLate({ newest }: Generations, entries: Entry[]): Set<Entry> {
  const late = new Set<Entry>()
  // They may fail to be stored, and are looked at again then.
  const ofEntries = new Map<number, number>()
  for (const entry of entries) {
    const { sender } = entry.record
    if (!sender) continue
    const known = ofEntries.get(sender.number) ?? newest.get(sender.number) ?? 0
    if (entry.mayBeLate && sender.generation < known) late.add(entry)
    else ofEntries.set(sender.number, Math.max(sender.generation, known))
  }
  return late
}

/** @param entries those that are stored now */
export function rememberGenerations(generations: Generations, entries: Entry[]): void {
  const seenMs = performance.now()
  for (const { track, record } of entries) {
    const { sender } = record
    if (sender && sender.generation > (generations.newest.get(sender.number) ?? 0)) {
      const { number, generation } = sender
      rememberOpening(generations, number, { partition: track.partition, generation, seenMs })
    }
  }
}

/** Remembers an opening of the session with this number, unless it or a later one is known. */
export function rememberOpening({ newest, recent }: Generations, number: number, opening: Opening): void {
  if (opening.generation <= (newest.get(number) ?? 0)) return
  newest.set(number, opening.generation)
  recent.delete(number)
  recent.set(number, opening)
  for (const [earliest, { seenMs }] of recent) {
    if (recent.size <= MAX_RECENT && isRecent(seenMs)) break
    recent.delete(earliest)
  }
}

const isRecent = (seenMs: number) => performance.now() - seenMs < RECENT_SECONDS * 1000
