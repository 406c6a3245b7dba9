/** Connections for the queries of users and dashboards, so that ingest, sign-in and alarms never wait for them. */
import { constants, setPriority } from 'node:os'
import type { Pool, PoolClient, PoolConfig } from 'pg'
import type { Logger } from 'pino'
import { createPool } from './pool.ts'

/** Concurrent queries of all tenants. */
export const MAX_QUERIES = 6
/** Limit of one statement; a long answer uses several. */
export const QUERY_TIMEOUT_MS = 5000

/** @param isEmbedded PostgreSQL runs on this machine, so that its query processes can get a lower priority than ingest */
export function createQueryPool(connection: PoolConfig, log: Logger, isEmbedded = false): Pool {
  const pool = createPool(connection, log, {
    application_name: 'gangway queries',
    // One more, so that the state of the server is known while long queries use all others.
    max: MAX_QUERIES + 1,
    statement_timeout: QUERY_TIMEOUT_MS,
    // Statements do not wait for the answers to earlier ones.
    pipeline: true,
  })
  if (isEmbedded) pool.on('connect', (client) => lowerPriority(client, log))
  return pool
}

function lowerPriority(client: PoolClient, log: Logger): void {
  const { processID } = client as PoolClient & { processID?: number }
  if (!processID) return
  try {
    setPriority(processID, constants.priority.PRIORITY_LOW)
  } catch (error) {
    log.debug({ reason: (error as Error).message }, 'the priority of a query connection could not be lowered')
  }
}
