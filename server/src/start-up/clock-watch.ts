/** Notices that the clock of this machine was set back, while the server runs. */
import { forgetAll } from '../alarms/watch/forget.ts'
import type { Context } from '../context.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { resetFutureTimes } from './future-times.ts'

const LOOK_EVERY_MS = 5_000
/** Smaller corrections come from time servers all the time, and nothing waits for as long as that. */
const SET_BACK_MS = 10_000

/** @returns how far the clock was set back since the last call; 0 where it was not */
export function createClock(wallMs = () => Date.now(), steadyMs = () => performance.now()): () => number {
  let offsetMs = wallMs() - steadyMs()
  return () => {
    const before = offsetMs
    offsetMs = wallMs() - steadyMs()
    return before - offsetMs > SET_BACK_MS ? before - offsetMs : 0
  }
}

type Needs = Pick<Context, 'pool' | 'log' | 'alarms'>

/** @param jobs undefined on a node that runs none */
export function watchClock(ctx: Needs, jobs: Jobs | undefined): AsyncDisposable {
  const setBackMs = createClock()
  let isSettled = true
  const look = async () => {
    const backMs = setBackMs()
    if (backMs > 0) {
      isSettled = false
      ctx.log.error({ seconds: Math.round(backMs / 1000) }, 'the clock of this machine was set back')
    }
    if (isSettled) return
    isSettled = true
    await correctFutureTimes(ctx, jobs).catch((error: unknown) => {
      isSettled = false
      ctx.log.warn({ err: error }, 'times in the future could not be set to now yet')
    })
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  return { [Symbol.asyncDispose]: async () => clearInterval(timer) }
}

/** What is in memory is read again. */
export async function correctFutureTimes({ pool, log, alarms }: Needs, jobs?: Jobs): Promise<void> {
  await resetFutureTimes(pool, log)
  forgetAll(alarms)
  await jobs?.restart()
}
