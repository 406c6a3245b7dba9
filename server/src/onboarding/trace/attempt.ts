import type { AttemptRow } from '../../database/tables/onboarding-attempts.ts'
import type { StepCode } from './step-codes.ts'

export type AttemptKind = AttemptRow['kind']
/** `refused`: a rule was against it. `failed`: something was unavailable. */
export type AttemptOutcome = AttemptRow['outcome']

/** Never contains keys, passwords or settings. */
export interface AttemptStep {
  code: StepCode
  message?: string
}

export interface Attempt {
  kind: AttemptKind
  /** The id that the device sent; such a device need not exist. */
  deviceId: string
  /** Absent if the id belongs to no tenant, or to several. */
  tenantId?: string | undefined
  groupId?: string | undefined
  /** Whether the device had proved its identity. Anybody can make attempts without proof, so few of them are kept. */
  isProven: boolean
  address?: string | undefined
  startedAt: Date
  durationMs: number
  outcome: AttemptOutcome
  steps: AttemptStep[]
}
