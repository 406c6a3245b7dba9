/** A bounded memory: the entries longest unused leave first. */
export interface Memo<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): void
  delete(key: K): void
  clear(): void
}

export function createMemo<K, V>(maxEntries: number): Memo<K, V> {
  const entries = new Map<K, V>()
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      // A Map keeps insertion order, so moving an entry to the end is all that "recently used" takes.
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size > maxEntries) entries.delete(entries.keys().next().value!)
    },
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  }
}
