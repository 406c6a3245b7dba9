/** The state of a device's certificate, which follows from its record. [docs/certificates#states] */
import { type RawBuilder, sql } from 'kysely'

/** The first row that holds is the state. The columns are of `certificate` and its `authority`. */
const states = [
  {
    state: 'revoked',
    holds: sql`certificate.revoked_at is not null or authority.status = 'revoked'`,
  },
  { state: 'expired', holds: sql`certificate.not_after <= now()` },
  { state: 'superseded', holds: sql`certificate.superseded_at is not null` },
  { state: 'active', holds: sql`certificate.connected_at is not null` },
  { state: 'issued', holds: sql`true` },
] as const satisfies { state: string; holds: RawBuilder<unknown> }[]

export type CertificateState = (typeof states)[number]['state']
export const certificateStates: readonly CertificateState[] = states.map(({ state }) => state)

/** The state as an expression of SQL. */
export const certificateState: RawBuilder<CertificateState> = sql`(case ${sql.join(
  states.map(({ state, holds }) => sql`when ${holds} then ${sql.lit(state)}`),
  sql` `,
)} end)`
