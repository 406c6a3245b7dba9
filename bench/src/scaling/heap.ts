/** An event of the simulation: what is done, and when. */
export interface Happening {
  atMs: number
  /** Happenings of the same time are in the order of their places. */
  place: number
  done: () => void
}

/** A binary heap, the earliest first. */
export function createHeap() {
  const items: Happening[] = []
  const isBefore = (one: Happening, other: Happening) =>
    one.atMs < other.atMs || (one.atMs === other.atMs && one.place < other.place)
  return {
    push(item: Happening) {
      let index = items.push(item) - 1
      while (index > 0) {
        const parent = (index - 1) >> 1
        if (!isBefore(item, items[parent]!)) break
        items[index] = items[parent]!
        index = parent
      }
      items[index] = item
    },
    pop(): Happening | undefined {
      const first = items[0]
      const last = items.pop()
      if (!last || items.length === 0) return first
      let index = 0
      for (;;) {
        let child = 2 * index + 1
        if (child >= items.length) break
        if (child + 1 < items.length && isBefore(items[child + 1]!, items[child]!)) child++
        if (!isBefore(items[child]!, last)) break
        items[index] = items[child]!
        index = child
      }
      items[index] = last
      return first
    },
  }
}
