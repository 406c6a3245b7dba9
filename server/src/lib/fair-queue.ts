/** Runs costly work with limited concurrency. Requesters take turns, so that one with many requests does not delay the others. */
export type FairQueue = <T>(requester: string, run: () => Promise<T>) => Promise<T>

export interface FairQueueOptions {
  concurrency: number
  /** Maximum number of waiting calls of one requester. */
  maxWaiting: number
  /** @returns the error for calls beyond that limit */
  refuse(): Error
}

export function createFairQueue({ concurrency, maxWaiting, refuse }: FairQueueOptions): FairQueue {
  /** By requester, in the order of their turns; the one that was served goes to the end. */
  const waiting = new Map<string, (() => Promise<void>)[]>()
  let running = 0

  const start = () => {
    const [next] = waiting
    if (!next || running >= concurrency) return
    const [asker, queued] = next
    const first = queued.shift()!
    waiting.delete(asker)
    if (queued.length > 0) waiting.set(asker, queued)
    running++
    void first().then(() => {
      running--
      start()
    })
  }

  return (asker, run) =>
    new Promise((resolve, reject) => {
      const ofAsker = waiting.get(asker) ?? []
      if (ofAsker.length >= maxWaiting) return reject(refuse())
      ofAsker.push(() => run().then(resolve, reject))
      waiting.set(asker, ofAsker)
      start()
    })
}
