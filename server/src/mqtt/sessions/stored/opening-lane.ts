/** Gathers openings and removals of sessions. One batch is under way at a time, so that they keep their order. */
import { setImmediate } from 'node:timers/promises'
import { coalesce } from '../../../lib/coalesce.ts'
import type { Runtime } from '../../../runtime.ts'
import { isolateFaults } from './isolate-faults.ts'
import { openSessions, type OpeningResult } from './open-sessions.ts'
import { patienceSince } from './patience.ts'
import type { Request } from './plan-opening.ts'
import type { OpenedSession } from './stored-sessions.ts'

export interface OpeningLane {
  submit(request: Request): Promise<OpenedSession | undefined>
  /** Resolves when those that opened a session in the batch under way have their answer. */
  answered(): Promise<void>
}

/** Their messages are read at once: up to 1 MiB of each session. */
const MAX_BATCH = 200

/** @param onCommit called after the commit, before any answer */
export function createOpeningLane(
  ctx: Pick<Runtime, 'db' | 'nodes'>,
  onCommit: (requests: Request[], result: OpeningResult) => void,
): OpeningLane {
  let underWay: Promise<unknown> = Promise.resolve()
  const openPart = async (part: { request: Request; sinceMs: number }[]) => {
    const requests = part.map(({ request }) => request)
    const result = await openSessions(ctx, requests, patienceSince(part[0]!.sinceMs))
    onCommit(requests, result)
    return result.outcomes
  }
  const open = coalesce(
    (batch: { request: Request; sinceMs: number }[]) => {
      const outcomes = isolateFaults(batch, openPart)
      underWay = outcomes
      return outcomes
    },
    { maxBatch: MAX_BATCH, concurrency: 1 },
  )
  return {
    submit: async (request) => {
      const outcome = await open({ request, sinceMs: performance.now() })
      if (outcome instanceof Error) throw outcome
      return outcome
    },
    answered: async () => {
      await underWay
      await setImmediate()
    },
  }
}
