/** Costly work, a little of it at once: those who ask take turns, so that one who asks for much holds up nobody else. */
export type FairQueue = <T>(asker: string, run: () => Promise<T>) => Promise<T>

export function createFairQueue(concurrency: number): FairQueue {
  /** By asker, in the order of their turns: whoever got one stands last. */
  const waiting = new Map<string, (() => Promise<void>)[]>()
  let running = 0

  const start = () => {
    const [next] = waiting
    if (!next || running >= concurrency) return
    const [asker, ofAsker] = next
    const first = ofAsker.shift()!
    waiting.delete(asker)
    if (ofAsker.length > 0) waiting.set(asker, ofAsker)
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
