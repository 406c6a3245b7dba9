/** Detects that the clock of this machine was set back while the server runs. */
import type { Context } from '../context.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { resetFutureTimes } from './future-times.ts'

const CHECK_EVERY_MS = 5_000
/** Time servers make smaller corrections all the time; they do not matter. */
const SET_BACK_MS = 10_000

/** @returns by how much the clock was set back since the last call; 0 if it was not */
export function createClock(wallMs = () => Date.now(), steadyMs = () => performance.now()): () => number {
  let offsetMs = wallMs() - steadyMs()
  return () => {
    const before = offsetMs
    offsetMs = wallMs() - steadyMs()
    return before - offsetMs > SET_BACK_MS ? before - offsetMs : 0
  }
}

type ClockContext = Pick<Context, 'pool' | 'log' | 'alarms'>

export function watchClock(ctx: ClockContext, jobs: Jobs): AsyncDisposable {
  const setBackMs = createClock()
  let areTimesCorrected = true
  const checkClock = async () => {
    const backMs = setBackMs()
    if (backMs > 0) {
      areTimesCorrected = false
      ctx.log.error({ seconds: Math.round(backMs / 1000) }, 'the clock of this machine was set back')
    }
    if (areTimesCorrected) return
    areTimesCorrected = true
    await correctFutureTimes(ctx, jobs).catch((error: unknown) => {
      areTimesCorrected = false
      ctx.log.warn({ err: error }, 'stored times in the future could not be corrected, trying again')
    })
  }
  const timer = setInterval(checkClock, CHECK_EVERY_MS)
  return { [Symbol.asyncDispose]: async () => clearInterval(timer) }
}

/** Also discards state in memory that depends on the corrected times. */
export async function correctFutureTimes({ pool, log, alarms }: ClockContext, jobs: Jobs): Promise<void> {
  await resetFutureTimes(pool, log)
  for (const tenantId of alarms.memory.tenants.keys()) alarms.alarmsChanged(tenantId)
  await jobs.restart()
}
