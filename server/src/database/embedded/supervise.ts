/** Restarts the postmaster whenever it ends, until the server stops. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { retryWhilePassing } from './passing.ts'
import type { Postmaster } from './postmaster.ts'

export interface Supervisor extends AsyncDisposable {
  /** Process id of the postmaster; undefined while it is being restarted. */
  pid(): number | undefined
}

const firstPauseMs = 50
const longestPauseMs = 5_000
const calmAfterMs = 60_000

/** @throws EmbeddedDatabaseError if the first start fails */
export async function supervise(launch: () => Promise<Postmaster>, log: Logger): Promise<Supervisor> {
  const stopping = new AbortController()
  let current: Postmaster | undefined = await startFirst(launch)
  const loop = keepRunning()

  async function keepRunning() {
    let startedAt = Date.now()
    for (let pauseMs = firstPauseMs, reason = await waitForEnd(); reason; reason = await waitForEnd()) {
      if (Date.now() - startedAt > calmAfterMs) pauseMs = firstPauseMs
      log.error({ reason, pauseMs }, 'PostgreSQL ended unexpectedly, restarting it')
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      if (stopping.signal.aborted) return
      startedAt = Date.now()
      current = await launch().catch((error: Error) => createFailedPostmaster(error))
      void current.ready.then(() => log.info('PostgreSQL accepts connections again'))
      // The stop was requested during the launch, when there was no process to stop yet.
      if (stopping.signal.aborted) void current.stop()
    }
  }

  /** @returns the reason of the end; undefined after a requested stop */
  async function waitForEnd() {
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
  await retryWhilePassing(async () => {
    postmaster = await launch()
    return (await Promise.race([postmaster.ready, postmaster.ended])) ?? undefined
  })
  return postmaster!
}

/** Stands for a launch that failed to create a process, for lack of memory or file handles. */
const createFailedPostmaster = (error: Error): Postmaster => ({
  pid: undefined,
  ready: new Promise(() => {}),
  ended: Promise.resolve(error.message),
  stop: async () => {},
})
