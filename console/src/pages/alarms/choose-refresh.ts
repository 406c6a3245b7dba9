import type { Status } from './status.ts'

const LEAST_MS = 60_000
/** An account has 1000 requests an hour: this is at most 240 of them. */
const PER_REQUEST_MS = 15_000

interface Read {
  rows: readonly { state: string }[]
  /** Each is a request. */
  notifications: number
}

/**
 * When the messages of an activation are read again; false if nothing changes any more: all were sent or given up, or the
 * alarm was cleared some time ago.
 */
export function chooseRefreshMs(
  { clearedAt }: Pick<Status, 'clearedAt'>,
  read: Read | undefined,
  nowMs: number,
): number | false {
  if (clearedAt !== null && nowMs - Date.parse(clearedAt) > LEAST_MS) return false
  if (read === undefined) return LEAST_MS
  if (read.rows.length > 0 && read.rows.every(({ state }) => state !== 'queued')) return false
  return Math.max(LEAST_MS, (1 + read.notifications) * PER_REQUEST_MS)
}
