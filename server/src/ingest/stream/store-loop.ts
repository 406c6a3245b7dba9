/**
 * Stores the batches of some tracks, round after round: what has come is read from the stream and committed at once. Where
 * a round fails, the next one begins at the positions in the database, which say what is stored.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamLane } from '../../database/tables/ingest.ts'
import { FencedError, listHeld } from './partitions.ts'
import { formatPlace, type Place } from './lanes.ts'
import {
  createGenerations,
  findMoves,
  type Generations,
  listOpenings,
  rememberOpenings,
} from './moved-sessions.ts'
import { createLatestBatches, type LatestBatches, markRepeats, rememberBatches } from './repeated-batches.ts'
import { identify, type StreamConnection, type StreamContext } from './state.ts'
import type { SessionOpening } from './session-openings.ts'
import { type Outcome, publishUnanswered } from '../unanswered.ts'
import { keepUnreadable, storeEntries } from './store-entries.ts'
import { createTrack, findServer, isReady, type ReadTrack, readTrack, type Track } from './tracks.ts'

/** The limits of a round: of one commit. */
const MAX_MESSAGES = 2000
const MAX_BYTES = 4 * 1024 * 1024
const MAX_TRACKS = 16
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2000
/**
 * A commit costs the same work whatever it holds: after a round with few messages, others gather. A notice may also come
 * before its batch has reached the server that answers.
 */
const GATHER = { messages: 250, ms: 20 }
/** After so many rounds that failed although the database answered, one of the messages is at fault. */
const PATIENT_ROUNDS = 5

export interface StoreLoop extends AsyncDisposable {
  /** Batches may have come. @param track the only one that may have some */
  wake(track?: Track): void
  /** Resolves when the present round has ended; its tracks are read again after that only. */
  roundEnded(): Promise<void>
  /** Learns the openings that the former owner of a partition has stored. Call it before the partition is read. */
  learnOpenings(openings: (SessionOpening & Place)[]): void
  /** Returns for how long messages that were read could not be stored; 0 where none waits for that. */
  longestWaitMs(): number
}

interface Loop {
  ctx: StreamContext
  stream: StreamConnection
  lane: StreamLane
  /** The tracks of the node, by `formatPlace`. */
  tracks: Map<string, Track>
  isOwn(place: Place): boolean
  rounds: number
  /** Rounds that failed one after the other. */
  failures: number
  /** Those of the `failures` in which the stream and the database answered. */
  faults: number
  /** Whether the last round read messages and could not store them. */
  failsToStore: boolean
  /** What rounds that failed may have stored. */
  unanswered: Outcome[]
  generations: Generations
  latest: LatestBatches
}

export function startStoreLoop(
  ctx: StreamContext,
  stream: StreamConnection,
  { lane, tracks, isOwn }: Pick<Loop, 'lane' | 'tracks' | 'isOwn'>,
): StoreLoop {
  const loop: Loop = {
    ctx,
    stream,
    lane,
    tracks,
    isOwn,
    rounds: 0,
    failures: 0,
    faults: 0,
    failsToStore: false,
    unanswered: [],
    generations: createGenerations(),
    latest: createLatestBatches(),
  }
  const stopping = new AbortController()
  let wake = () => {}
  let round = Promise.resolve()
  let failingSinceMs: number | undefined

  async function run() {
    while (!stopping.signal.aborted) {
      const ready = listReady(loop)
      if (ready.length === 0) {
        failingSinceMs = undefined
        await new Promise<void>((resolve) => (wake = resolve))
        continue
      }
      const startedMs = performance.now()
      const ended = runRound(loop, ready)
      round = ended.then(() => {})
      const pauseMs = await ended
      if (loop.failsToStore) failingSinceMs ??= startedMs
      else failingSinceMs = undefined
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    wake: (track) => {
      if (!track || isMine(loop, track)) wake()
    },
    roundEnded: () => round,
    learnOpenings: (openings) =>
      rememberOpenings(
        loop.generations,
        openings.filter((opening) => isMine(loop, opening)),
      ),
    longestWaitMs: () => (failingSinceMs === undefined ? 0 : performance.now() - failingSinceMs),
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      wake()
      await running
    },
  }
}

const isMine = ({ lane, isOwn }: Loop, place: Place): boolean => place.lane === lane && isOwn(place)

/** Returns the tracks that can be read, the least recently read first. */
const listReady = (loop: Loop): Track[] =>
  [...loop.tracks.values()]
    .filter((track) => isMine(loop, track) && isReady(track))
    .toSorted((one, other) => one.round - other.round)
    .slice(0, MAX_TRACKS)

/** @returns how long to pause */
async function runRound(loop: Loop, ready: Track[]): Promise<number> {
  const { stream } = loop
  loop.rounds++
  for (const track of ready) track.round = loop.rounds
  let isRead = false
  try {
    const limits = { messages: MAX_MESSAGES / ready.length, bytes: MAX_BYTES / ready.length }
    const read = await Promise.all(ready.map((track) => readTrack(stream, track, limits)))
    isRead = true
    await storeRead(loop, ready, read)
    loop.failures = loop.faults = 0
    loop.failsToStore = false
    const count = read.reduce((sum, { entries }) => sum + entries.length, 0)
    return count < GATHER.messages ? GATHER.ms : 0
  } catch (error) {
    const isSynchronized = await resync(loop, ready)
    // What is not stored yet will be: it is in the stream.
    if (isSynchronized) await publishUnanswered(loop.ctx, loop.unanswered)
    loop.failsToStore = isRead
    recordFailure(loop, error as Error, isRead && isSynchronized)
    return Math.min(FIRST_PAUSE_MS * 2 ** (loop.failures - 1), LONGEST_PAUSE_MS)
  }
}

async function storeRead(loop: Loop, ready: Track[], read: ReadTrack[]): Promise<void> {
  const { ctx, lane, faults, unanswered, generations, latest } = loop
  const entries = read.flatMap((one) => one.entries)
  if (entries.length > 0) {
    markRepeats(latest, entries)
    const moves = findMoves(generations, entries)
    await storeEntries(ctx, entries, { lane, isolate: faults >= PATIENT_ROUNDS, unanswered, moves })
    rememberOpenings(generations, listOpenings([...moves.first]))
    rememberBatches(latest, entries)
    if (moves.late.size > 0)
      ctx.log.info({ lane, count: moves.late.size }, 'messages came late that their devices had sent again')
  }
  for (const [index, one] of read.entries()) await finishTrack(loop, ready[index]!, one)
}

/** @param isAnswered whether the stream and the database answered, so that a message may be at fault */
function recordFailure(loop: Loop, error: Error, isAnswered: boolean): void {
  const { ctx, lane } = loop
  loop.failures++
  const isFenced = error instanceof FencedError
  loop.faults = isAnswered && !isFenced ? loop.faults + 1 : 0
  if (isFenced)
    ctx.log.info({ lane, reason: error.message }, 'positions of the stream of ingest are read again')
  else if (loop.failures === 1) ctx.log.warn({ err: error, lane }, 'messages wait in the stream of ingest')
}

async function finishTrack(
  { ctx, stream }: Loop,
  track: Track,
  { entries, found, unreadable, readFrom }: ReadTrack,
): Promise<void> {
  for (const sequence of found) track.stored.add(sequence)
  if (unreadable && entries.length === 0) {
    Object.assign(track, await keepUnreadable(ctx, identify(stream.info), unreadable))
    track.stored.add(unreadable.sequence)
    track.readFrom = track.sequence
  } else Object.assign(track, entries.at(-1)?.next, { readFrom })
  // An unreadable message is found again in the next round, as its first message.
  track.mayHaveMore ||= unreadable !== undefined
  track.waitingSinceMs = undefined
}

/** The tracks begin again with the first batch. @returns whether the positions could be read from the database */
async function resync({ ctx, stream, tracks }: Loop, ready: Track[]): Promise<boolean> {
  try {
    const held = await listHeld(ctx.db, ctx.nodes.id)
    const byPlace = new Map(held.map((one) => [formatPlace(one), one]))
    for (const track of ready) {
      const now = byPlace.get(formatPlace(track))
      if (now?.fence === track.fence) Object.assign(track, createTrack(now, findServer(stream)))
      else if (tracks.get(formatPlace(track)) === track) tracks.delete(formatPlace(track))
    }
    return true
  } catch {
    return false
  }
}
