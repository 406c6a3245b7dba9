/** Answers checks of requests. Concurrent checks are combined, so that a burst costs a few statements. */
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../../database/tables.ts'
import { coalesce } from '../../lib/coalesce.ts'
import { check, checkMany } from './check.ts'
import type { Question } from './access-sql.ts'
import { queriesIn } from './queries.ts'
import { checkAnywhere } from './reach.ts'

export interface Decisions {
  /** Whether the question is answered with yes. */
  check(question: Question): Promise<boolean>
  /** Whether the subject holds the question's privilege in any organization of the tenant. */
  checkAnywhere(question: Question): Promise<boolean>
}

export function createDecisions(pool: pg.Pool): Decisions {
  const options = { maxBatch: 100, concurrency: 4 }
  return {
    check: coalesce((questions) => checkMany(pool, questions), options),
    checkAnywhere: coalesce((questions) => checkAnywhere(pool, questions), options),
  }
}

/** Answers checks in a transaction: it sees the transaction's writes and needs no second connection. */
export function accessIn(tx: Kysely<Tables>) {
  const queries = queriesIn(tx)
  const decisions: Decisions = {
    check: (question) => check(queries, question),
    checkAnywhere: async (question) => (await checkAnywhere(queries, [question]))[0]!,
  }
  return { db: tx, decisions }
}
