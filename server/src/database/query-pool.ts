/** Connections for what people and dashboards ask: ingest, sign-in and alarms have theirs and never wait for a query. */
import { constants, setPriority } from 'node:os'
import type { Pool, PoolClient, PoolConfig } from 'pg'
import type { Logger } from 'pino'
import { createPool } from './pool.ts'

/** So many queries run at once, of all tenants together. */
export const MAX_QUERIES = 6
/** Of one statement; a long answer is made of many. */
export const QUERY_TIMEOUT_MS = 5000

/** @param isEmbedded where PostgreSQL runs beside us, so that its processes give way to those of ingest */
export function createQueryPool(connection: PoolConfig, log: Logger, isEmbedded = false): Pool {
  const pool = createPool(connection, log, {
    application_name: 'gangway queries',
    max: MAX_QUERIES,
    statement_timeout: QUERY_TIMEOUT_MS,
  })
  if (isEmbedded) pool.on('connect', (client) => giveWay(client, log))
  return pool
}

function giveWay(client: PoolClient, log: Logger): void {
  const { processID } = client as PoolClient & { processID?: number }
  if (!processID) return
  try {
    setPriority(processID, constants.priority.PRIORITY_LOW)
  } catch (error) {
    log.debug({ reason: (error as Error).message }, 'a query connection keeps its priority')
  }
}
