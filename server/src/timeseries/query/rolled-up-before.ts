import { type RawBuilder, sql } from 'kysely'
import { epochMs } from '../storage/packed/piece-places.ts'
import { DAY_MS, dayNumber } from '../storage/partition-names.ts'

/** The end of the last piece of kept rollups. */
export interface LastKept {
  last_ms: number
}

export const selectLastKept = (tenantNumber: number): RawBuilder<LastKept> => sql<LastKept>`
    select ${epochMs('last_time')} as last_ms from kept_rollups where tenant_number = ${tenantNumber}::int
    order by last_time desc limit 1`

/**
 * @returns the start of the first day without kept rollups of the tenant, in milliseconds since 1970; samples of earlier days are
 * deleted. Undefined if there are none.
 */
export const readRolledUpBefore = ([last]: LastKept[]): number | undefined =>
  last && (dayNumber(last.last_ms) + 1) * DAY_MS
