/**
 * Many messages, one commit. Messages of all connections gather while earlier batches are on their way to the
 * database; a message that comes alone goes alone and waits for nobody.
 */
export interface GroupCommit<T> {
  options: GroupCommitOptions<T>
  queue: Waiting<T>[]
  /** Batches under way, with the time since which the oldest item of each waits. */
  underWay: Map<Promise<void>, number>
  isScheduled: boolean
  onSettled: (() => void)[]
}

export interface GroupCommitOptions<T> {
  /**
   * @param earlier settles when all batches begun before have ended, for a batch that has to see what they wrote
   * @throws when none of the items became durable
   */
  flush(items: T[], earlier: Promise<unknown>): Promise<void>
  /** A batch ends at either of these. */
  maxItems: number
  maxBytes: number
  /** How many batches may be under way: 1 keeps the order; with several neither the database nor we wait for the other. */
  concurrency: number
}

export type Done = (error?: Error) => void

interface Waiting<T> {
  item: T
  bytes: number
  sinceMs: number
  /** Called once the item is durable, or with the error that kept it from being so. */
  done: Done
}

export const createGroupCommit = <T>(options: GroupCommitOptions<T>): GroupCommit<T> => ({
  options,
  queue: [],
  underWay: new Map(),
  isScheduled: false,
  onSettled: [],
})

export function submit<T>(lane: GroupCommit<T>, item: T, bytes: number, done: Done): void {
  lane.queue.push({ item, bytes, sinceMs: performance.now(), done })
  schedule(lane)
}

function schedule<T>(lane: GroupCommit<T>): void {
  if (lane.isScheduled || lane.underWay.size >= lane.options.concurrency || lane.queue.length === 0) return
  lane.isScheduled = true
  // Not at once: whatever else arrived on other sockets in this turn of the event loop goes along.
  setImmediate(startBatch, lane)
}

function startBatch<T>(lane: GroupCommit<T>): void {
  lane.isScheduled = false
  const earlier = Promise.all(lane.underWay.keys())
  const batch = takeBatch(lane)
  const flushed = flushBatch(lane, batch, earlier).then(() => {
    lane.underWay.delete(flushed)
    schedule(lane)
    if (isIdle(lane)) for (const resolve of lane.onSettled.splice(0)) resolve()
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
  try {
    await options.flush(
      batch.map(({ item }) => item),
      earlier,
    )
  } catch (error) {
    failure = error as Error
  }
  for (const { done } of batch) done(failure)
}

type Progress = Pick<GroupCommit<unknown>, 'queue' | 'underWay' | 'onSettled'>

const isIdle = ({ queue, underWay }: Progress) => queue.length === 0 && underWay.size === 0

/** Settles when everything submitted before is done, well or not. */
export const settled = (lane: Progress): Promise<void> =>
  isIdle(lane) ? Promise.resolve() : new Promise((resolve) => void lane.onSettled.push(resolve))

/** How long the oldest item has waited to be done; 0 where none waits. */
export function longestWaitMs({ queue, underWay }: Progress): number {
  const nowMs = performance.now()
  return nowMs - Math.min(nowMs, queue[0]?.sinceMs ?? nowMs, ...underWay.values())
}
