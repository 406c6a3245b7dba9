/** Judges the figures of the installation, so that what needs attention stands first. */
import type { StateKind } from '../../parts/StateMark.tsx'
import type { Health } from './use-health.ts'

interface HealthStates {
  ingest: StateKind
  jobs: StateKind
  deliveries: StateKind
  deadLetters: StateKind
  queue: StateKind
  database: StateKind
  replica: StateKind
  storage: StateKind
}

/** A message that waits longer makes the server unready. [docs/operating#health] */
const MOST_WAIT_SECONDS = 3
/** Jobs that are due start within seconds unless no server has room for them. */
const LATE_MS = 60_000
const EVENT_LATE_MS = 60_000
const MOST_CONNECTIONS_SHARE = 0.9
const LONG_TRANSACTION_SECONDS = 300
const DAYS_LEFT = { bad: 7, warning: 30 }

export function judgeHealth(health: Health): HealthStates {
  const nowMs = Date.parse(health.asOf)
  const isOlder = (at: string | null, ms: number) => at !== null && nowMs - Date.parse(at) > ms
  const { ingest, jobs, deliveries, deadLetters, queue, database, storage } = health
  const isCrowded = database.connections > database.maxConnections * MOST_CONNECTIONS_SHARE
  const daysLeft = storage?.daysLeft ?? Infinity
  return {
    ingest: ingest.longestWaitSeconds >= MOST_WAIT_SECONDS ? 'bad' : 'good',
    jobs: jobs.some(({ failed }) => failed > 0)
      ? 'bad'
      : jobs.some(({ oldestDueAt }) => isOlder(oldestDueAt, LATE_MS))
        ? 'warning'
        : 'good',
    deliveries: deliveries.some(({ pausedReceivers }) => pausedReceivers > 0) ? 'warning' : 'good',
    deadLetters: deadLetters.messages > 0 ? 'warning' : 'good',
    queue: isOlder(queue.oldestAt, EVENT_LATE_MS) ? 'bad' : 'good',
    database: isCrowded
      ? 'bad'
      : database.longestTransactionSeconds > LONG_TRANSACTION_SECONDS
        ? 'warning'
        : 'good',
    replica: database.replica === null ? 'off' : database.replica.problem === null ? 'good' : 'warning',
    storage:
      storage === null
        ? 'off'
        : daysLeft < DAYS_LEFT.bad
          ? 'bad'
          : daysLeft < DAYS_LEFT.warning
            ? 'warning'
            : 'good',
  }
}
