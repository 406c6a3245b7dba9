/**
 * A machine in simulated time: threads, each of which does one work after the other, share its processors as Linux lets
 * them: in turns, first the thread that has had least.
 */
import { createHeap } from './heap.ts'

export interface Machine {
  nowMs(): number
  /** Calls back after the time; works of the same time in the order of their calls. */
  after(ms: number, done: () => void): void
  /** @param wakeUs processor time that it takes to sleep and to be woken */
  thread(wakeUs?: number): Thread
  /** Plays until nothing is left to do. */
  play(): void
}

export interface Thread {
  run(us: number, done: () => void): void
  /** Processor time so far. */
  usedUs(): number
  /** How often it slept. */
  sleeps(): number
}

/** So long a thread keeps a processor for which another one waits: Linux looks at each of 250 ticks a second. */
const TURN_US = 4000

interface State {
  happenings: ReturnType<typeof createHeap>
  nowMs: number
  places: number
  freeProcessors: number
  /** Threads that wait for a processor. */
  waiting: ThreadState[]
  /** The `turnUs` of the thread that began last. */
  turnUs: number
  drawWakeMs(): number
}

interface ThreadState {
  wakeUs: number
  works: { us: number; done: () => void }[]
  /** The place of the first work that is not done. */
  first: number
  isAwake: boolean
  /** It begins to sleep. */
  isTired: boolean
  usedUs: number
  /** The processor time by which threads take turns: one that slept has no claim to what it missed. */
  turnUs: number
  sleeps: number
}

/** @param drawWakeMs how late a thread that slept begins */
export function createMachine(processors: number, drawWakeMs: () => number = () => 0): Machine {
  const state: State = {
    happenings: createHeap(),
    nowMs: 0,
    places: 0,
    freeProcessors: processors,
    waiting: [],
    turnUs: 0,
    drawWakeMs,
  }
  return {
    nowMs: () => state.nowMs,
    after: (ms, done) => after(state, ms, done),
    thread: (wakeUs = 0) => createThread(state, wakeUs),
    play() {
      for (let next = state.happenings.pop(); next; next = state.happenings.pop()) {
        state.nowMs = next.atMs
        next.done()
      }
    },
  }
}

const after = (state: State, ms: number, done: () => void) =>
  state.happenings.push({ atMs: state.nowMs + ms, place: state.places++, done })

function createThread(state: State, wakeUs: number): Thread {
  const thread: ThreadState = {
    wakeUs,
    works: [],
    first: 0,
    isAwake: false,
    isTired: false,
    usedUs: 0,
    turnUs: 0,
    sleeps: 0,
  }
  return {
    run(us, done) {
      if (!thread.isAwake) wake(state, thread)
      thread.works.push({ us, done })
    },
    usedUs: () => thread.usedUs,
    sleeps: () => thread.sleeps,
  }
}

/** Half of the work of waking and sleeping comes first, half at the end. */
function wake(state: State, thread: ThreadState): void {
  thread.isAwake = true
  thread.sleeps++
  thread.works.push({ us: thread.wakeUs / 2, done: () => {} })
  after(state, state.drawWakeMs(), () => {
    thread.turnUs = Math.max(thread.turnUs, state.turnUs - TURN_US)
    state.waiting.push(thread)
    if (state.freeProcessors === 0) return
    state.freeProcessors--
    startNext(state)
  })
}

/** A processor has become free. */
function startNext(state: State): void {
  const { waiting } = state
  let index = 0
  for (let at = 1; at < waiting.length; at++) if (waiting[at]!.turnUs < waiting[index]!.turnUs) index = at
  const [thread] = waiting.splice(index, 1)
  if (!thread) return void state.freeProcessors++
  state.turnUs = Math.max(state.turnUs, thread.turnUs)
  runFor(state, thread, TURN_US)
}

function runFor(state: State, thread: ThreadState, leftUs: number): void {
  const work = thread.works[thread.first]!
  const us = Math.min(work.us, leftUs)
  after(state, us / 1000, () => {
    thread.usedUs += us
    thread.turnUs += us
    work.us -= us
    if (work.us <= 0) {
      thread.first++
      work.done()
    }
    if (!hasWork(thread)) {
      Object.assign(thread, { works: [], first: 0, isAwake: false, isTired: false })
      startNext(state)
    } else if (us < leftUs) runFor(state, thread, leftUs - us)
    else if (state.waiting.length === 0) runFor(state, thread, TURN_US)
    else {
      state.waiting.push(thread)
      startNext(state)
    }
  })
}

function hasWork(thread: ThreadState): boolean {
  if (thread.first === thread.works.length && !thread.isTired) {
    thread.isTired = true
    thread.works.push({ us: thread.wakeUs / 2, done: () => {} })
  }
  return thread.first < thread.works.length
}
