/**
 * A bounded memory. It has two generations: what nobody asked for while the younger one filled up leaves. Asking moves
 * nothing, unlike an order of last use, which would cost more than many an answer.
 */
export interface Memo<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): void
  delete(key: K): void
  clear(): void
}

/** @param maxEntries of them half are sure to stay, those last asked for or set */
export function createMemo<K, V>(maxEntries: number): Memo<K, V> {
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
