import type { Generated } from 'kysely'

export interface JobTables {
  receiver_circuits: {
    receiver: string
    failures: number
    reason: string
    failing_since: Generated<Date>
    last_failed_at: Generated<Date>
    retry_at: Date | null
  }
}
