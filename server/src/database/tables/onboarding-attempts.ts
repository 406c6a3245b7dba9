import type { ColumnType, Selectable } from 'kysely'
import type { Json, Timestamp } from './columns.ts'

export interface OnboardingAttemptTables {
  onboarding_attempts: {
    id: string
    tenant_id: string | null
    enrollment_group_id: string | null
    device_id: string
    kind: 'settings' | 'provisioning' | 'certificate' | 'mqtt_sign_in' | 'tls_handshake'
    outcome: 'succeeded' | 'refused' | 'failed'
    address: string | null
    steps: Json<{ code: string; message?: string }[]>
    count: number
    first_at: Timestamp
    last_at: Timestamp
    duration_ms: number
    proven: ColumnType<boolean, boolean | undefined, never>
  }
}

export type AttemptRow = Selectable<OnboardingAttemptTables['onboarding_attempts']>
