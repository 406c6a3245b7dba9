import { ApiError } from '@gangway/client'
import type { Status } from './status.ts'

export interface Refused {
  status: Status
  error: unknown
}

/** Refusals of one alarm, such as of a rule that the user may not acknowledge: the others may be possible. */
const OF_ONE = [403, 404, 409]

/** Acknowledges one after the other. What refuses one alarm alone does not hold up the others. */
export async function acknowledgeAll(
  statuses: readonly Status[],
  send: (status: Status) => Promise<void>,
): Promise<{ refused: Refused[]; stopped: Refused | null }> {
  const refused: Refused[] = []
  for (const status of statuses)
    try {
      await send(status)
    } catch (error) {
      if (!(error instanceof ApiError) || !OF_ONE.includes(error.status))
        return { refused, stopped: { status, error } }
      refused.push({ status, error })
    }
  return { refused, stopped: null }
}
