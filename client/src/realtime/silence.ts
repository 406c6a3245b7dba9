/** Detects a connection that is open but receives nothing any more, such as after the network was lost. */
import type { Timing } from './timing.ts'

/** A timer that is this late says nothing about the server: the page or the machine was suspended. */
const LATE_MS = 1000

export interface Silence {
  /** Begins to ask for signs of life. */
  start(): void
  /** Something was received. */
  heard(): void
  /** The answer to a ping was received. */
  answered(): void
  /** Pings at once. @returns when the server has answered, after everything that it sent before */
  ask(): Promise<void>
  stop(): void
}

export function watchSilence(
  { quietMs, answerMs }: Timing,
  { ping, onDead }: { ping: () => void; onDead: () => void },
): Silence {
  let timer: ReturnType<typeof setTimeout> | undefined
  let heardAtMs = performance.now()
  let isHeard = false
  let isStopped = false
  const asked: (() => void)[] = []

  const schedule = (run: () => void, delayMs: number) => {
    clearTimeout(timer)
    if (!isStopped) timer = setTimeout(run, delayMs)
  }
  const look = () => {
    const remainingMs = quietMs - (performance.now() - heardAtMs)
    if (remainingMs > 0) schedule(look, remainingMs)
    else void ask()
  }
  const ask = (): Promise<void> => {
    const askedAtMs = performance.now()
    isHeard = false
    ping()
    schedule(() => {
      if (isHeard) look()
      else if (performance.now() - askedAtMs > answerMs + LATE_MS) void ask()
      else onDead()
    }, answerMs)
    return new Promise((resolve) => void asked.push(resolve))
  }
  return {
    start: look,
    heard: () => {
      isHeard = true
      heardAtMs = performance.now()
    },
    answered: () => asked.shift()?.(),
    ask,
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
