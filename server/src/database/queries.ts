/**
 * Limits the expensive queries of each tenant. A request opens a query and uses its `db`: a few statements of a tenant
 * run at once, others wait for their turn, and beyond a limit requests are refused.
 */
import type { Duplex } from 'node:stream'
import { Kysely, PostgresDialect } from 'kysely'
import type { Pool, PoolClient, QueryResult } from 'pg'
import { ApiError } from '../http/errors.ts'
import { runOnce } from '../lib/run-once.ts'
import { createGate, type Gate } from './fair-gate.ts'
import { MAX_QUERIES, QUERY_TIMEOUT_MS } from './query-pool.ts'
import { isFaultOfReplica, type Replica, type ReplicaState } from './read-replica.ts'
import type { Tables } from './tables.ts'

/** Concurrent statements of one tenant. */
export const TENANT_SHARE = 2
/** Open queries of one tenant, until their answers are written. */
export const MAX_OPEN = 40
export const PATIENCE_MS = 10_000
const RETRY_AFTER_SECONDS = 5

export interface Query extends Disposable {
  db: Kysely<Tables>
}

export interface Queries {
  /**
   * @param needs `database` for what a replica does not know, such as the locks and activity of other connections
   * @param signal once it is aborted, statements that have not begun are refused with its reason
   * @throws rate_limited if the tenant has too many open queries
   */
  open(tenantId: string, needs?: 'database', signal?: AbortSignal): Query
  /** @returns undefined if no replica is configured */
  readReplicaState(): Promise<ReplicaState | undefined>
}

/** @param replica answers where it can, else the database of the pool */
export function createQueries(pool: Pool, replica?: Replica): Queries {
  const gate = createGate({ max: MAX_QUERIES, maxPerTenant: TENANT_SHARE })
  const open = new Map<string, number>()
  return {
    open(tenantId, needs, signal) {
      const count = open.get(tenantId) ?? 0
      if (count >= MAX_OPEN)
        throw tooBusy(`${MAX_OPEN} queries of this tenant are open, which is the most that may be at once`)
      open.set(tenantId, count + 1)
      const close = () => {
        const left = open.get(tenantId)! - 1
        if (left > 0) open.set(tenantId, left)
        else open.delete(tenantId)
      }
      const connect = needs === 'database' || !replica ? connectTo(pool) : connectToEither(pool, replica)
      const enter = (patience?: AbortSignal) => gate.enter(tenantId, anySignal(signal, patience))
      return { db: tenantDatabase(connect, enter), [Symbol.dispose]: runOnce(close) }
    },
    readReplicaState: async () => replica?.readState(),
  }
}

const tooBusy = (what: string) =>
  new ApiError('rate_limited', `${what}. Ask again when some have been answered.`, {}, RETRY_AFTER_SECONDS)

interface Connected {
  client: PoolClient
  /** Undefined where the database itself answers. */
  replica?: Replica
}

const connectTo = (pool: Pool) => async (): Promise<Connected> => ({ client: await pool.connect() })

/** Once the database has answered a statement of a query, the later ones do not see an older state at the replica. */
function connectToEither(pool: Pool, replica: Replica): () => Promise<Connected> {
  let isCurrent = false
  let isAtDatabase = false
  return async () => {
    const client = isAtDatabase ? undefined : await replica.connect(isCurrent)
    if (!client) isAtDatabase = true
    if (!client) return { client: await pool.connect() }
    isCurrent = true
    return { client, replica }
  }
}

/** Waiting is limited until the first rows are read; an answer that has begun waits without a limit. */
function tenantDatabase(
  connectToOne: () => Promise<Connected>,
  enter: (patience?: AbortSignal) => ReturnType<Gate['enter']>,
): Kysely<Tables> {
  let hasBegun = false
  const connect = async () => {
    const leave = await enter(hasBegun ? undefined : createPatience())
    const begin = () => void (hasBegun = true)
    try {
      return gatedClient(await connectToOne(), { leave, begin })
    } catch (error) {
      leave()
      throw error
    }
  }
  // The creator of the pool ends it.
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: { connect, end: async () => {} } }) })
}

/** @returns undefined without a signal */
export function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const [first, ...others] = signals.filter((signal) => signal !== undefined)
  return first && others.length > 0 ? AbortSignal.any([first, ...others]) : first
}

/** @returns a signal for a wait of a query, which is aborted with rate_limited when it has lasted too long */
export function createPatience(): AbortSignal {
  const patience = new AbortController()
  const reason = () => tooBusy(`This query has waited ${PATIENCE_MS / 1000} s for others of this tenant`)
  setTimeout(() => patience.abort(reason()), PATIENCE_MS).unref()
  return patience.signal
}

/** The part of a connection that Kysely uses. */
type Client = Pick<PoolClient, 'query' | 'release'>

function gatedClient(
  { client, replica }: Connected,
  { leave, begin }: { leave(): void; begin(): void },
): Client {
  const query = async (...parts: unknown[]): Promise<unknown> => {
    gatherWrites(client)
    try {
      const result = await (client.query as (...given: unknown[]) => Promise<QueryResult>).apply(
        client,
        parts,
      )
      // A message of several statements has several results.
      if ([result].flat().some(({ rows }) => rows.length > 0)) begin()
      return result
    } catch (error) {
      if ((error as { code?: string }).code === QUERY_CANCELED) throw tooLong()
      if (!replica || !isFaultOfReplica(error as { code?: string })) throw error
      replica.leaveOut((error as Error).message)
      throw replicaFailed(error as Error)
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

/** Sends the statements of one turn together: each write alone would wake up PostgreSQL. */
function gatherWrites(client: PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}

const QUERY_CANCELED = '57014'

/** The next try is answered by the database. */
const replicaFailed = ({ message }: Error) =>
  new ApiError('unavailable', `The read replica could not answer (${message}). Try again.`, {}, 1)

const tooLong = () =>
  new ApiError(
    'unavailable',
    `This query takes longer than ${QUERY_TIMEOUT_MS / 1000} s, which is the most that one may take. Ask for less at once: a shorter span, fewer signals, a simpler whereClause or a narrower filter.`,
    { limitSeconds: QUERY_TIMEOUT_MS / 1000 },
    60,
  )
