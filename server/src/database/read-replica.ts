/**
 * Queries at a streaming replica of the database. A query is answered there only once the replica has everything that was
 * committed before the query began, so that no answer depends on where it comes from. Where the replica is away or too far
 * behind, the database itself answers. [docs/cluster#read-replicas]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient, PoolConfig } from 'pg'
import type { Logger } from 'pino'
import { waitAtMost } from '../lib/wait-at-most.ts'
import { databaseIdentity } from './identity.ts'
import { createQueryPool } from './query-pool.ts'
import { DatabaseUnusableError } from './wait-until-answers.ts'

/** A replica that is behind by less usually catches up in this time. */
const CATCH_UP_MS = 500
/** For so long a replica that could not be used is not asked again. */
const LEFT_OUT_MS = 5_000
const ANSWER_MS = 2_000
const FIRST_PAUSE_MS = 2

export interface ReplicaState {
  /** Undefined while the database does not answer, without which nobody knows how far the replica has to be. */
  isUsable: boolean | undefined
  /** Undefined if the replica can be used. */
  problem: string | undefined
  /** Bytes of the log that it has not replayed yet; undefined if it does not answer. */
  lagBytes: number | undefined
  lagSeconds: number | undefined
}

export interface Replica extends AsyncDisposable {
  /**
   * @param isCurrent the query was already at the replica, which only gets newer
   * @returns undefined if the database has to answer
   */
  connect(isCurrent: boolean): Promise<PoolClient | undefined>
  /** After an error of a query there: the next queries go to the database. */
  leaveOut(reason: string): void
  readState(): Promise<ReplicaState>
}

interface Observation {
  isSame: boolean
  isReplica: boolean
  isReceiving: boolean
  lagBytes: number
  lagSeconds: number
}

const observation = `
  select (${databaseIdentity}) = $2 as "isSame", pg_is_in_recovery() as "isReplica",
    exists (select from pg_stat_wal_receiver) as "isReceiving",
    case when pg_is_in_recovery()
      then greatest(pg_wal_lsn_diff($1::pg_lsn, pg_last_wal_replay_lsn()), 0)::float8 else 0 end as "lagBytes",
    case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
      else coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()), 0)::float8 end as "lagSeconds"`

/** Waiting does not help here: the setting is wrong. */
const isMisconfigured = ({ isSame, isReplica }: Observation) => !isSame || !isReplica

/** @param primary connections for queries at the database itself @throws DatabaseUnusableError if it is no replica of it */
export async function openReplica(
  connectionString: string,
  { primary, log }: { primary: Pool; log: Logger },
): Promise<Replica> {
  const pool = createReplicaPool({ connectionString }, log)
  const { rows } = await primary.query<{ identity: string }>(`select (${databaseIdentity}) as identity`)
  const identity = rows[0]!.identity
  let leftOutUntilMs = 0
  let problem: string | undefined

  const observe = async (client: Pool | PoolClient, position: string): Promise<Observation> => {
    const query = { text: observation, values: [position, identity], query_timeout: ANSWER_MS }
    return (await client.query<Observation>(query)).rows[0]!
  }
  /** Reads the position in the log of the primary that includes all transactions committed so far. */
  const readPosition = async () => {
    const query = { text: 'select pg_current_wal_flush_lsn()::text as position', query_timeout: ANSWER_MS }
    return (await primary.query<{ position: string }>(query)).rows[0]!.position
  }
  const leaveOut = (reason: string) => {
    if (problem === undefined)
      log.warn({ reason }, 'the read replica is left out, the database answers queries')
    problem = reason
    leftOutUntilMs = performance.now() + LEFT_OUT_MS
  }
  const takeIn = () => {
    if (problem !== undefined) log.info('the read replica answers queries again')
    problem = undefined
  }

  const replica: Replica = {
    async connect(isCurrent) {
      if (performance.now() < leftOutUntilMs) return undefined
      const position = isCurrent ? undefined : await readPosition()
      let client: PoolClient | undefined
      try {
        client = await pool.connect()
        if (position === undefined) return client
        const found = await waitUntilCurrent(client, position)
        if (found === undefined) {
          takeIn()
          return client
        }
        leaveOut(found)
        client.release()
      } catch (error) {
        leaveOut(noAnswer(error))
        client?.release(true)
      }
      return undefined
    },
    leaveOut,
    async readState() {
      const unknown = { lagBytes: undefined, lagSeconds: undefined }
      const position = await waitAtMost(
        ANSWER_MS,
        readPosition().catch(() => undefined),
      )
      if (position === undefined)
        return { isUsable: undefined, problem: 'The database does not answer.', ...unknown }
      try {
        const found = await observe(pool, position)
        const { lagBytes, lagSeconds } = found
        // A lag is no fault by itself: queries wait for it, and leave the replica out where that takes too long.
        const isLeftOut = performance.now() < leftOutUntilMs
        const fault = findFault(found) ?? (isLeftOut ? problem : undefined)
        return { isUsable: fault === undefined, problem: fault, lagBytes, lagSeconds }
      } catch (error) {
        return { isUsable: false, problem: noAnswer(error), ...unknown }
      }
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }

  /** @returns why it cannot be used */
  async function waitUntilCurrent(client: PoolClient, position: string): Promise<string | undefined> {
    const untilMs = performance.now() + CATCH_UP_MS
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      const found = await observe(client, position)
      const fault = findFault(found)
      if (fault !== undefined || found.lagBytes === 0) return fault
      if (performance.now() > untilMs) return `It is ${found.lagBytes} bytes of the log behind.`
      await sleep(pauseMs)
    }
  }

  const first = await observe(pool, await readPosition()).catch((error: unknown) => {
    leaveOut(noAnswer(error))
    return undefined
  })
  if (first && isMisconfigured(first)) {
    await pool.end()
    throw new DatabaseUnusableError(`GANGWAY_DATABASE_READ_URL: ${findFault(first)}`)
  }
  return replica
}

const noAnswer = (error: unknown) => `It does not answer: ${(error as Error).message}`

/** @returns why the replica cannot be used, however far it is */
function findFault(found: Observation): string | undefined {
  if (!found.isSame) return 'It is another database than that of DATABASE_URL.'
  if (!found.isReplica) return 'It is not a replica: it accepts writes itself.'
  if (!found.isReceiving) return 'It receives nothing from its primary.'
  return undefined
}

/** A replica that hangs must not delay queries for longer than its check. */
const createReplicaPool = (connection: PoolConfig, log: Logger) =>
  createQueryPool({ ...connection, connectionTimeoutMillis: ANSWER_MS }, log)

/** Whether another server may answer the same query: the replica is away, or ended it in favour of what it has to replay. */
export const isFaultOfReplica = ({ code = '' }: { code?: string }): boolean =>
  code === RECOVERY_CONFLICT || !SQL_STATE.test(code) || /^(08|57P)/.test(code)

const RECOVERY_CONFLICT = '40001'
/** Unlike the code of a socket's error, such as EPIPE, it has a digit. */
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/
