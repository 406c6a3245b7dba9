/** Changes pieces in the background, in many short transactions. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../../../database/tables.ts'
import { giveWay } from './give-way.ts'
import { changePieces } from './pack-lock.ts'

export interface ChangeContext {
  pool: pg.Pool
  db: Kysely<Tables>
}

interface Repetition<Place> {
  /** Where the first change begins. */
  after: Place
  /** The time after which no further change begins. There is at least one. */
  untilMs: number
  /** Limits the rests after each change; see `giveWay`. */
  maxRests?: number | undefined
  /** Makes the next change in a transaction. @returns where it ended, or 'done' if nothing was left */
  change(tx: Kysely<Tables>, after: Place): Promise<Place | 'done'>
}

/** Delay before a change is repeated. */
const RETRY_MS = 50

/** @returns where the last change ended, or 'done' if nothing is left */
export async function repeatChanges<Place>(
  { pool, db }: ChangeContext,
  { after, untilMs, maxRests, change }: Repetition<Place>,
): Promise<Place | 'done'> {
  let last = after
  do {
    const startMs = performance.now()
    const reached = await changePieces(db, (tx) => change(tx, last))
    if (reached === 'done') return reached
    if (reached === 'busy') await sleep(RETRY_MS)
    else {
      last = reached
      await giveWay(pool, { workedMs: performance.now() - startMs, untilMs, maxRests })
    }
  } while (Date.now() < untilMs)
  return last
}
