/**
 * Combines calls into batches: calls that arrive while a batch is in progress wait for the next one. Thousands of
 * devices that connect at once then cost a few large queries instead of many small ones; a single call is not delayed.
 */
export interface CoalesceOptions {
  /** Maximum number of keys in one batch. */
  maxBatch: number
  /** Maximum number of concurrent batches. */
  concurrency: number
  /** Whether a batch waits while each turn of the event loop adds more keys, for calls that come in bursts. */
  gathers?: boolean
  /** Time between the starts of two batches, for batches that cost much more than the calls in them. */
  spacingMs?: number
}

interface Waiting<K, V> {
  key: K
  resolve: (value: V) => void
  reject: (error: unknown) => void
}

/** @param run returns one value for each key, in the order of the keys */
export function coalesce<K, V>(
  run: (keys: K[]) => Promise<V[]>,
  options: CoalesceOptions,
): (key: K) => Promise<V> {
  let waiting: Waiting<K, V>[] = []
  let running = 0
  let scheduled = false
  let seen = 0
  let nextMs = 0

  const schedule = () => {
    if (scheduled || running >= options.concurrency || waiting.length === 0) return
    scheduled = true
    const waitMs = options.spacingMs ? nextMs - performance.now() : 0
    if (waitMs > 0 && waiting.length < options.maxBatch) setTimeout(start, waitMs)
    else setImmediate(start)
  }
  const start = () => {
    if (options.gathers && waiting.length > seen && waiting.length < options.maxBatch) {
      seen = waiting.length
      return void setImmediate(start)
    }
    scheduled = false
    seen = 0
    if (options.spacingMs) nextMs = performance.now() + options.spacingMs
    const batch = waiting.splice(0, options.maxBatch)
    running++
    run(batch.map((entry) => entry.key))
      .then(
        (values) => batch.forEach((entry, index) => entry.resolve(values[index]!)),
        (error) => batch.forEach((entry) => entry.reject(error)),
      )
      .finally(() => {
        running--
        schedule()
      })
    schedule()
  }

  return (key) =>
    new Promise<V>((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      schedule()
    })
}
