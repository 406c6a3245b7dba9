import { coalesce } from '../../../lib/coalesce.ts'
import type { Runtime } from '../../../runtime.ts'
import { isolateFaults } from './isolate-faults.ts'
import { patienceSince } from './patience.ts'
import { putRetainedMessages, type Retained } from './retained-messages.ts'

type Timed = Retained & { sinceMs: number }

/** Gathers retained messages. One batch is under way at a time, so that they keep their order. */
export function createRetainedLane(
  ctx: Pick<Runtime, 'db' | 'nodes'>,
): (message: Retained) => Promise<boolean> {
  const put = coalesce(
    (batch: Timed[]) =>
      isolateFaults(batch, (part) => putRetainedMessages(ctx, part, patienceSince(part[0]!.sinceMs))),
    { maxBatch: 500, concurrency: 1 },
  )
  return async (message) => {
    const outcome = await put({ ...message, sinceMs: performance.now() })
    if (outcome instanceof Error) throw outcome
    return outcome
  }
}
