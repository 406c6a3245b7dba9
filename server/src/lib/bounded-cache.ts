/**
 * A bounded cache with two generations: entries that were not read while the younger generation filled up are dropped.
 * This is cheaper than an LRU order, which would change at each read.
 */
export interface BoundedCache<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): void
  delete(key: K): void
  clear(): void
}

/** @param maxEntries the half of them that was read or set last is certain to stay */
export function createBoundedCache<K, V>(maxEntries: number): BoundedCache<K, V> {
  const generation = Math.max(1, Math.floor(maxEntries / 2))
  let younger = new Map<K, V>()
  let older = new Map<K, V>()
  const set = (key: K, value: V) => {
    if (younger.size >= generation && !younger.has(key)) {
      older = younger
      younger = new Map()
    }
    younger.set(key, value)
  }
  return {
    get(key) {
      const value = younger.get(key)
      if (value !== undefined) return value
      const aged = older.get(key)
      if (aged !== undefined) set(key, aged)
      return aged
    },
    set,
    delete(key) {
      younger.delete(key)
      older.delete(key)
    },
    clear() {
      younger = new Map()
      older = new Map()
    },
  }
}
