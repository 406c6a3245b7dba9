/**
 * A machine in simulated time: threads, each of which does one work after the other, share its processors. A work keeps its
 * processor to its end.
 */
export interface Machine {
  nowMs(): number
  /** Calls back after the time; works of the same time in the order of their calls. */
  after(ms: number, done: () => void): void
  thread(): Thread
  /** Plays until nothing is left to do. */
  play(): void
}

export interface Thread {
  run(us: number, done: () => void): void
}

interface Happening {
  atMs: number
  place: number
  done: () => void
}

/** @param drawWakeMs how late a thread that was idle begins */
export function createMachine(processors: number, drawWakeMs: () => number = () => 0): Machine {
  const happenings = createHeap()
  let nowMs = 0
  let places = 0
  let free = processors
  const waiting: (() => void)[] = []
  let firstWaiting = 0
  const after = (ms: number, done: () => void) => happenings.push({ atMs: nowMs + ms, place: places++, done })

  function takeProcessor(work: () => void) {
    if (free === 0) return void waiting.push(work)
    free--
    work()
  }
  function releaseProcessor() {
    const next = waiting[firstWaiting]
    if (!next) return void free++
    if (++firstWaiting === waiting.length) firstWaiting = waiting.length = 0
    next()
  }

  function thread(): Thread {
    const works: { us: number; done: () => void }[] = []
    let isBusy = false
    const startNext = () => {
      const work = works.shift()
      isBusy = work !== undefined
      if (!work) return
      takeProcessor(() =>
        after(work.us / 1000, () => {
          releaseProcessor()
          work.done()
          startNext()
        }),
      )
    }
    return {
      run(us, done) {
        works.push({ us, done })
        if (isBusy) return
        isBusy = true
        after(drawWakeMs(), startNext)
      },
    }
  }

  return {
    nowMs: () => nowMs,
    after,
    thread,
    play() {
      for (let next = happenings.pop(); next; next = happenings.pop()) {
        nowMs = next.atMs
        next.done()
      }
    },
  }
}

/** A binary heap, the earliest first. */
function createHeap() {
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
