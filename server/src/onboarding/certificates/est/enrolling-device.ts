import { ApiError, type ErrorCode } from '../../../http/errors.ts'
import type { AttemptTrail } from '../../trace/start-attempt.ts'
import type { StepCode } from '../../trace/step-codes.ts'
import type { CertificateSettings } from '../settings/schema.ts'

/** A device that has proved its identity. */
export interface EnrollingDevice {
  deviceId: string
  tenantId: string
  groupId: string
  /** The tier of its credentials; for a renewal that of its enrolment. */
  tier: 1 | 2 | 3
  settings: CertificateSettings
  /** The certificate of this platform that it signed in with; null for other credentials. */
  presentedId: string | null
  /** The bootstrap key that it signed in with; null for a certificate. */
  keyId: string | null
  /** That certificate has expired: it may only renew. */
  isExpired: boolean
  trail: AttemptTrail
}

interface Refusal {
  code: ErrorCode
  step: StepCode
  message: string
  retryAfterSeconds?: number
}

/** Ends the attempt, and makes the error that is to be thrown. */
export function refuse(trail: AttemptTrail, { code, step, message, retryAfterSeconds }: Refusal): ApiError {
  trail.end('refused', step, message)
  return new ApiError(code, message, {}, retryAfterSeconds)
}

export const notRegistered = (trail: AttemptTrail, deviceId: string) =>
  refuse(trail, {
    code: 'forbidden',
    step: 'device_not_registered',
    message: `The device ${deviceId} is not registered in the enrollment group. Add it first.`,
  })
