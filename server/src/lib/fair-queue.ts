/** Runs costly work with limited concurrency. Requesters take turns, so that one with many requests does not delay the others. */
export type FairQueue = <T>(requester: string, run: () => Promise<T>) => Promise<T>

export function createFairQueue(concurrency: number): FairQueue {
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
      ofAsker.push(() => run().then(resolve, reject))
      waiting.set(asker, ofAsker)
      start()
    })
}
