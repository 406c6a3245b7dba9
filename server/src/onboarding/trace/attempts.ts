/**
 * Records how devices tried to come up, off the path of the answer. Equal attempts of a device in a row are one run with a
 * count, so that a device in a loop neither displaces its history nor costs a write each time. Runs are written in batches,
 * and dropped when too many wait. [docs/onboarding#decision-trace]
 */
import type { Runtime } from '../../runtime.ts'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import type { Attempt } from './attempt.ts'
import { addAttempt, type AttemptRun, cleanDeviceId, startRun } from './attempt-run.ts'
import { createUnprovenLimit } from './unproven-limit.ts'
import { deleteOldAttempts, upsertAttempts } from './store.ts'

/** A device in a loop costs one write in this time. */
const GATHER_MS = 5000
const ROWS_AT_ONCE = 1000
/** So many runs are written without waiting longer. */
const GATHERED_RUNS = 2000
/** Runs that wait to be written. */
const MAX_WAITING = 20_000
/** Devices whose latest run can go on. */
const MAX_CONTINUED = 20_000

export interface Attempts extends AsyncDisposable {
  /** Never waits and never throws. */
  record(attempt: Attempt): void
  /** Resolves once everything that was recorded on this node is written, or could not be written. */
  flush(): Promise<void>
}

type Parts = Pick<Runtime, 'pool' | 'log' | 'metrics'>

export function createAttempts({ pool, log, metrics }: Parts): Attempts {
  const latest = createBoundedCache<string, AttemptRun>(MAX_CONTINUED)
  let waiting = new Set<AttemptRun>()
  let unproven = createUnprovenLimit()
  let timer: NodeJS.Timeout | undefined
  let written: Promise<void> = Promise.resolve()
  let isStopped = false

  const writeWaiting = async () => {
    const runs = [...waiting]
    waiting = new Set()
    unproven = createUnprovenLimit()
    for (let start = 0; start < runs.length; start += ROWS_AT_ONCE)
      await writeBatch(runs.slice(start, start + ROWS_AT_ONCE))
  }
  const writeBatch = async (runs: AttemptRun[]) => {
    const counts = runs.map((run) => run.unwritten)
    const added = runs.filter((run) => !run.isStored)
    for (const run of runs) run.unwritten = 0
    try {
      await upsertAttempts(pool, runs, counts)
      for (const run of added) run.isStored = true
      await deleteOldAttempts(pool, added)
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'attempts of devices cannot be written')
      const lost = counts.reduce((sum, count) => sum + count, 0)
      metrics.attemptsDropped.inc({ reason: 'database' }, lost)
    }
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    written = written.then(writeWaiting)
    return written
  }

  const findOverload = (attempt: Attempt) => {
    if (waiting.size >= MAX_WAITING) return 'overload'
    return attempt.isProven ? undefined : unproven.exceed(attempt)
  }
  /** @returns the run that the attempt belongs to; undefined if it is dropped */
  const findRun = (attempt: Attempt): AttemptRun | undefined => {
    // Attempts without proof do not end a run of the device itself.
    const key = `${attempt.kind} ${attempt.isProven} ${attempt.tenantId ?? ''} ${attempt.deviceId}`
    const known = latest.get(key)
    if (known && addAttempt(known, attempt)) return known
    const reason = findOverload(attempt)
    if (reason) return void metrics.attemptsDropped.inc({ reason })
    const run = startRun(attempt)
    latest.set(key, run)
    return run
  }

  return {
    record(attempt) {
      if (isStopped) return
      const run = findRun({ ...attempt, deviceId: cleanDeviceId(attempt.deviceId) })
      if (!run || waiting.has(run)) return
      waiting.add(run)
      timer ??= setTimeout(flush, GATHER_MS)
      if (waiting.size === GATHERED_RUNS) void flush()
    },
    flush,
    [Symbol.asyncDispose]: async () => {
      isStopped = true
      await flush()
    },
  }
}
