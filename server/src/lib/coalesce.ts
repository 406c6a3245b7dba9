/**
 * Many callers, one query: calls that arrive while a batch is under way wait and go together in the next one. A storm
 * of devices then costs a few large queries instead of thousands of small ones; a single call costs no delay.
 */
export interface CoalesceOptions {
  /** The most keys in one batch. */
  maxBatch: number
  /** How many batches may be under way at once. */
  concurrency: number
  /** Whether a batch waits as long as each turn of the event loop brings more keys: for those that come in waves. */
  gathers?: boolean
}

interface Waiting<K, V> {
  key: K
  resolve: (value: V) => void
  reject: (error: unknown) => void
}

/** @param run answers one value a key, in the keys' order */
export function coalesce<K, V>(
  run: (keys: K[]) => Promise<V[]>,
  options: CoalesceOptions,
): (key: K) => Promise<V> {
  let waiting: Waiting<K, V>[] = []
  let running = 0
  let scheduled = false
  let seen = 0

  const schedule = () => {
    if (scheduled || running >= options.concurrency || waiting.length === 0) return
    scheduled = true
    setImmediate(start)
  }
  const start = () => {
    if (options.gathers && waiting.length > seen && waiting.length < options.maxBatch) {
      seen = waiting.length
      return void setImmediate(start)
    }
    scheduled = false
    seen = 0
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
