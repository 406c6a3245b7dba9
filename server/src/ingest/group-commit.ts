/**
 * Many messages, one commit. Messages of all connections gather while earlier batches are on their way to the
 * database; a message that comes alone goes alone and waits for nobody.
 */
export interface GroupCommit<T> {
  /** @param done called once `item` is durable, or with the error that kept it from being so */
  submit(item: T, bytes: number, done: Done): void
  /** Settles when everything submitted before is done, well or not. */
  settled(): Promise<void>
  /** How long the oldest item has waited to be done; 0 where none waits. */
  longestWaitMs(): number
}

export type Done = (error?: Error) => void

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

interface Waiting<T> {
  item: T
  bytes: number
  sinceMs: number
  done: Done
}

export function createGroupCommit<T>(options: GroupCommitOptions<T>): GroupCommit<T> {
  let queue: Waiting<T>[] = []
  /** With the time since which its oldest item waits. */
  const underWay = new Map<Promise<void>, number>()
  let isScheduled = false
  let onSettled: (() => void)[] = []

  const schedule = () => {
    if (isScheduled || underWay.size >= options.concurrency || queue.length === 0) return
    isScheduled = true
    // Not at once: whatever else arrived on other sockets in this turn of the event loop goes along.
    setImmediate(start)
  }

  const start = () => {
    isScheduled = false
    const earlier = Promise.all(underWay.keys())
    const batch = takeBatch()
    const flushed = flush(batch, earlier).then(() => {
      underWay.delete(flushed)
      schedule()
      if (queue.length === 0 && underWay.size === 0) settle()
    })
    underWay.set(flushed, batch[0]!.sinceMs)
    schedule()
  }

  const flush = async (batch: Waiting<T>[], earlier: Promise<unknown>) => {
    let failure: Error | undefined
    try {
      await options.flush(
        batch.map((waiting) => waiting.item),
        earlier,
      )
    } catch (error) {
      failure = error as Error
    }
    for (const { done } of batch) done(failure)
  }

  const takeBatch = () => {
    let bytes = 0
    let count = 0
    while (count < queue.length && count < options.maxItems && bytes < options.maxBytes)
      bytes += queue[count++]!.bytes
    const batch = queue.slice(0, count)
    queue = queue.slice(count)
    return batch
  }

  const settle = () => {
    for (const resolve of onSettled.splice(0)) resolve()
  }

  return {
    submit(item, bytes, done) {
      queue.push({ item, bytes, sinceMs: performance.now(), done })
      schedule()
    },
    settled: () =>
      queue.length === 0 && underWay.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => void onSettled.push(resolve)),
    longestWaitMs: () => {
      const now = performance.now()
      return now - Math.min(now, queue[0]?.sinceMs ?? now, ...underWay.values())
    },
  }
}
