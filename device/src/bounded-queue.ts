export interface QueueLimits {
  maxMessages: number
  maxBytes: number
}

/** A bounded queue, first in, first out: when it is full, the oldest items are dropped. The newest always stays. */
export interface BoundedQueue<Item extends { bytes: number }> {
  readonly length: number
  /** Both return the dropped items, the oldest first. */
  push(item: Item): Item[]
  putBack(items: Item[]): Item[]
  first(): Item | undefined
  shift(): Item | undefined
}

export function createBoundedQueue<Item extends { bytes: number }>(limits: QueueLimits): BoundedQueue<Item> {
  let items: Item[] = []
  let bytes = 0

  const makeRoom = (): Item[] => {
    let count = 0
    while (
      items.length - count > 1 &&
      (items.length - count > limits.maxMessages || bytes > limits.maxBytes)
    ) {
      bytes -= items[count]?.bytes ?? 0
      count++
    }
    return items.splice(0, count)
  }
  const sumBytes = (added: Item[]) => added.reduce((sum, item) => sum + item.bytes, 0)

  return {
    get length() {
      return items.length
    },
    push(item) {
      items.push(item)
      bytes += item.bytes
      return makeRoom()
    },
    putBack(earlier) {
      items = [...earlier, ...items]
      bytes += sumBytes(earlier)
      return makeRoom()
    },
    first: () => items[0],
    shift() {
      const item = items.shift()
      bytes -= item?.bytes ?? 0
      return item
    },
  }
}
