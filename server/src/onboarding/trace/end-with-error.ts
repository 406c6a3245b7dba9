import { ApiError, type ErrorCode } from '../../http/errors.ts'
import type { AttemptTrail } from './start-attempt.ts'
import type { StepCode } from './step-codes.ts'

const steps: Partial<Record<ErrorCode, StepCode>> = {
  enrollment_group_disabled: 'group_disabled',
  device_not_provisioned: 'device_not_provisioned',
  device_not_registered: 'device_not_registered',
  not_found: 'group_unknown',
  provider_rejected: 'provider_rejected',
  provider_unavailable: 'provider_unavailable',
  rate_limited: 'too_many_failures',
}

/** Ends the attempt with the step of the error. An error without one must have its step already. */
export function endWithError(trail: AttemptTrail, error: unknown): void {
  if (!(error instanceof ApiError)) return trail.end('failed', 'server_unavailable')
  const isOfProvider = error.code === 'provider_rejected' || error.code === 'provider_unavailable'
  trail.end(
    error.status >= 500 ? 'failed' : 'refused',
    steps[error.code],
    isOfProvider ? error.message : undefined,
  )
}
