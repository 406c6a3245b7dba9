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
import type { SessionOpening } from './session-openings.ts'
import type { Entry } from './tracks.ts'

/** The greatest generation of each session whose messages were stored, by the number of the session. */
export type Generations = BoundedCache<number, number>

const MAX_SESSIONS = 200_000

export const createGenerations = (): Generations => createBoundedCache(MAX_SESSIONS)

/** Entries that say something about the openings of their sessions. */
export interface Moves {
  /** They are there a second time. */
  late: ReadonlySet<Entry>
  /** The first ones of openings that were not known. */
  first: ReadonlySet<Entry>
}

/** @param entries in their order, which follow those that were stored */
export function findMoves(generations: Generations, entries: Entry[]): Moves {
  const [late, first] = [new Set<Entry>(), new Set<Entry>()]
  // They may fail to be stored, and are looked at again then.
  const ofEntries = new Map<number, number>()
  for (const entry of entries) {
    const { sender } = entry.record
    if (!sender) continue
    const known = ofEntries.get(sender.number) ?? generations.get(sender.number) ?? 0
    if (sender.generation > known) {
      first.add(entry)
      ofEntries.set(sender.number, sender.generation)
    } else if (entry.mayBeLate && sender.generation < known) late.add(entry)
  }
  return { late, first }
}

/** @param entries first ones of openings, in their order @returns the latest opening of each session */
export function listOpenings(entries: Entry[]): SessionOpening[] {
  const openings = entries.map(({ track: { partition }, record }) => ({ ...record.sender!, partition }))
  return [...new Map(openings.map((opening) => [opening.number, opening])).values()]
}

/** Remembers openings that were stored. */
export function rememberOpenings(
  generations: Generations,
  openings: Pick<SessionOpening, 'number' | 'generation'>[],
): void {
  for (const { number, generation } of openings)
    if (generation > (generations.get(number) ?? 0)) generations.set(number, generation)
}
