/** Keeps one postmaster running: whatever kills it, it comes back until we are asked to stop. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { untilItPasses } from './passing.ts'
import type { Postmaster } from './postmaster.ts'

export interface Supervisor extends AsyncDisposable {
  /** Of the postmaster that runs now; undefined between two. */
  pid(): number | undefined
}

const firstPauseMs = 50
const longestPauseMs = 5_000
const calmAfterMs = 60_000

/** @throws EmbeddedDatabaseError when it does not come up the first time. */
export async function supervise(launch: () => Promise<Postmaster>, log: Logger): Promise<Supervisor> {
  const stopping = new AbortController()
  let current: Postmaster | undefined = await startFirst(launch)
  const loop = keepRunning()

  async function keepRunning() {
    let startedAt = Date.now()
    for (let pauseMs = firstPauseMs, reason = await nextEnd(); reason; reason = await nextEnd()) {
      if (Date.now() - startedAt > calmAfterMs) pauseMs = firstPauseMs
      log.error({ reason, pauseMs }, 'PostgreSQL ended unexpectedly, starting it again')
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      if (stopping.signal.aborted) return
      startedAt = Date.now()
      current = await launch().catch((error: Error) => failed(error))
      void current.ready.then(() => log.info('PostgreSQL accepts connections again'))
      // Asked to stop while it was being launched, when there was nothing to stop yet.
      if (stopping.signal.aborted) void current.stop()
    }
  }

  /** Why it ended; undefined when we asked for it. */
  async function nextEnd() {
    const reason = await current!.ended
    current = undefined
    return stopping.signal.aborted ? undefined : reason
  }

  return {
    pid: () => current?.pid,
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await current?.stop()
      await loop
    },
  }
}

async function startFirst(launch: () => Promise<Postmaster>) {
  let postmaster: Postmaster
  await untilItPasses(async () => {
    postmaster = await launch()
    return (await Promise.race([postmaster.ready, postmaster.ended])) ?? undefined
  })
  return postmaster!
}

/** A launch that did not get as far as a process, for want of memory or file handles. */
const failed = (error: Error): Postmaster => ({
  pid: undefined,
  ready: new Promise(() => {}),
  ended: Promise.resolve(error.message),
  stop: async () => {},
})
