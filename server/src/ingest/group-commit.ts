/**
 * Commits many messages at once. Messages of all connections gather while earlier batches are being stored; a single
 * message does not wait for others.
 */
export interface GroupCommit<T> {
  options: GroupCommitOptions<T>
  queue: Waiting<T>[]
  /** Unfinished batches, each with the time since which its oldest item waits. */
  underWay: Map<Promise<void>, number>
  isScheduled: boolean
  /** Set while a batch gathers items. */
  gathering: NodeJS.Timeout | undefined
}

export interface GroupCommitOptions<T> {
  /**
   * @param earlier resolves when all batches begun before have ended, for a batch that must see what they wrote
   * @returns why some of the items did not become durable, if there are any
   * @throws when none of the items became durable
   */
  flush(items: T[], earlier: Promise<unknown>): Promise<ReadonlyMap<T, Error> | void>
  /** A batch ends at either of these limits. */
  maxItems: number
  maxBytes: number
  /**
   * Maximum number of concurrent batches: 1 keeps the order; with several, neither the database nor this process idles
   * while the other works.
   */
  concurrency: number
  /**
   * While another batch is under way, a batch starts when it has this many items or its first one has waited this long.
   * A commit costs the same work whatever it holds: without waiting, a moderate load would spend most of the processor
   * time on batches of a few messages.
   */
  gather?: { items: number; ms: number }
}

export type Done = (error?: Error) => void

interface Waiting<T> {
  item: T
  bytes: number
  sinceMs: number
  /** Called once the item is durable, or with the error that prevented it. */
  done: Done
}

export const createGroupCommit = <T>(options: GroupCommitOptions<T>): GroupCommit<T> => ({
  options,
  queue: [],
  underWay: new Map(),
  isScheduled: false,
  gathering: undefined,
})

export function submit<T>(lane: GroupCommit<T>, item: T, bytes: number, done: Done): void {
  lane.queue.push({ item, bytes, sinceMs: performance.now(), done })
  schedule(lane)
}

function schedule<T>(lane: GroupCommit<T>): void {
  if (lane.isScheduled || lane.underWay.size >= lane.options.concurrency || lane.queue.length === 0) return
  const { gather } = lane.options
  if (!gather || lane.underWay.size === 0 || lane.queue.length >= gather.items) scheduleNow(lane)
  else lane.gathering ??= setTimeout(scheduleNow, gather.ms, lane)
}

function scheduleNow<T>(lane: GroupCommit<T>): void {
  clearTimeout(lane.gathering)
  lane.gathering = undefined
  lane.isScheduled = true
  // Deferred, so that items from other sockets in this turn of the event loop join the batch.
  setImmediate(startBatch, lane)
}

function startBatch<T>(lane: GroupCommit<T>): void {
  lane.isScheduled = false
  const earlier = Promise.all(lane.underWay.keys())
  const batch = takeBatch(lane)
  const flushed = flushBatch(lane, batch, earlier).then(() => {
    lane.underWay.delete(flushed)
    schedule(lane)
  })
  lane.underWay.set(flushed, batch[0]!.sinceMs)
  schedule(lane)
}

function takeBatch<T>(lane: GroupCommit<T>): Waiting<T>[] {
  const { queue, options } = lane
  let bytes = 0
  let count = 0
  while (count < queue.length && count < options.maxItems && bytes < options.maxBytes)
    bytes += queue[count++]!.bytes
  lane.queue = queue.slice(count)
  return queue.slice(0, count)
}

async function flushBatch<T>(
  { options }: GroupCommit<T>,
  batch: Waiting<T>[],
  earlier: Promise<unknown>,
): Promise<void> {
  let failure: Error | undefined
  let refused: ReadonlyMap<T, Error> | void = undefined
  try {
    refused = await options.flush(
      batch.map(({ item }) => item),
      earlier,
    )
  } catch (error) {
    failure = error as Error
  }
  for (const { item, done } of batch) done(failure ?? refused?.get(item))
}

type Progress = Pick<GroupCommit<unknown>, 'queue' | 'underWay'>

export const isIdle = ({ queue, underWay }: Progress) => queue.length === 0 && underWay.size === 0

/** Resolves when everything submitted before has ended, successfully or not. */
export async function settled({ queue, underWay }: Progress): Promise<void> {
  await Promise.all([...underWay.keys(), ...queue.map(untilDone)])
}

const untilDone = (waiting: Waiting<unknown>) =>
  new Promise<void>((resolve) => {
    const { done } = waiting
    waiting.done = (error) => {
      done(error)
      resolve()
    }
  })

/** Returns how long the oldest item has waited; 0 where none waits. */
export function longestWaitMs({ queue, underWay }: Progress): number {
  const nowMs = performance.now()
  return nowMs - Math.min(nowMs, queue[0]?.sinceMs ?? nowMs, ...underWay.values())
}
