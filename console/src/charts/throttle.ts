/** Calls a function at most once in each interval; the last call is never lost. */
export interface Throttled {
  call: () => void
  cancel: () => void
}

export function createThrottle(run: () => void, intervalMs: () => number): Throttled {
  let lastMs = -Infinity
  let timer: ReturnType<typeof setTimeout> | undefined
  const fire = () => {
    timer = undefined
    lastMs = performance.now()
    run()
  }
  return {
    call: () => {
      if (timer !== undefined) return
      const waitMs = lastMs + intervalMs() - performance.now()
      if (waitMs <= 0) fire()
      else timer = setTimeout(fire, waitMs)
    },
    cancel: () => clearTimeout(timer),
  }
}
