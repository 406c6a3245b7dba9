/**
 * What a tenant may ask of the database at once. Each request that may be expensive opens a query, and asks through its
 * `db`: some statements of a tenant run, the others wait for their turn, and beyond that the tenant is refused.
 */
import { Kysely, PostgresDialect } from 'kysely'
import type { Pool, PoolClient, QueryResult } from 'pg'
import { ApiError } from '../http/errors.ts'
import { createGate, type Gate } from './fair-gate.ts'
import { MAX_QUERIES, QUERY_TIMEOUT_MS } from './query-pool.ts'
import type { Tables } from './tables.ts'

/** Statements of one tenant that run at once. */
const TENANT_SHARE = 2
/** Requests of one tenant that are open at once: answers that are being written count until their end. */
const MAX_OPEN = 40
const PATIENCE_MS = 10_000
const RETRY_AFTER_SECONDS = 5

export interface Query extends Disposable {
  db: Kysely<Tables>
}

export interface Queries {
  /** @throws rate_limited where the tenant has too many open */
  open(tenantId: string): Query
}

export function createQueries(pool: Pool): Queries {
  const gate = createGate({ max: MAX_QUERIES, maxOfTenant: TENANT_SHARE })
  const open = new Map<string, number>()
  return {
    open(tenantId) {
      const count = open.get(tenantId) ?? 0
      if (count >= MAX_OPEN)
        throw busy(`${MAX_OPEN} queries of this tenant are open, which is the most that may be at once`)
      open.set(tenantId, count + 1)
      const close = () => {
        const left = open.get(tenantId)! - 1
        if (left > 0) open.set(tenantId, left)
        else open.delete(tenantId)
      }
      return { db: tenantDatabase(pool, gate, tenantId), [Symbol.dispose]: once(close) }
    },
  }
}

function once(run: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) run()
    isDone = true
  }
}

const busy = (what: string) =>
  new ApiError('rate_limited', `${what}. Ask again when some have been answered.`, {}, RETRY_AFTER_SECONDS)

/** It may be refused until there is something to answer; an answer that has begun waits for its turn. */
function tenantDatabase(pool: Pool, gate: Gate, tenantId: string): Kysely<Tables> {
  let hasBegun = false
  const connect = async () => {
    const leave = await gate.enter(tenantId, hasBegun ? undefined : impatience())
    const begin = () => void (hasBegun = true)
    try {
      return gatedClient(await pool.connect(), { leave, begin })
    } catch (error) {
      leave()
      throw error
    }
  }
  // The pool is ended by whoever made it.
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: { connect, end: async () => {} } }) })
}

function impatience(): AbortSignal {
  const patience = new AbortController()
  const reason = () => busy(`This query has waited ${PATIENCE_MS / 1000} s for others of this tenant`)
  setTimeout(() => patience.abort(reason()), PATIENCE_MS).unref()
  return patience.signal
}

/** What Kysely needs of a connection. */
type Client = Pick<PoolClient, 'query' | 'release'>

function gatedClient(client: PoolClient, { leave, begin }: { leave(): void; begin(): void }): Client {
  const query = async (...parts: unknown[]): Promise<unknown> => {
    try {
      const result = await (client.query as (...given: unknown[]) => Promise<QueryResult>).apply(
        client,
        parts,
      )
      if (result.rows.length > 0) begin()
      return result
    } catch (error) {
      throw (error as { code?: string }).code === QUERY_CANCELED ? tooLong() : error
    }
  }
  return {
    query: query as PoolClient['query'],
    release: (error) => {
      client.release(error)
      leave()
    },
  }
}

const QUERY_CANCELED = '57014'

const tooLong = () =>
  new ApiError(
    'unavailable',
    `This query takes longer than ${QUERY_TIMEOUT_MS / 1000} s, which is the most that one may take. Ask for less at once: a shorter span, fewer signals, a simpler whereClause or a narrower filter.`,
    { limitSeconds: QUERY_TIMEOUT_MS / 1000 },
    60,
  )
