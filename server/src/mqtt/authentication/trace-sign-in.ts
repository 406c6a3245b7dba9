/** Records sign-ins in the decision trace. [docs/onboarding#decision-trace] */
import type { IConnectPacket } from 'mqtt-packet'
import { type AttemptTrail, startAttempt } from '../../onboarding/trace/start-attempt.ts'
import type { StepCode } from '../../onboarding/trace/step-codes.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import type { Connection } from '../state.ts'
import type { RefusedError } from './refused-error.ts'

/** A device signs in with the name of its certificate or its user name; one that has neither is found by its client id. */
export const startSignIn = (
  { ctx }: Pick<GatewayParts, 'ctx'>,
  { remoteAddress, username }: Connection,
  { clientId }: IConnectPacket,
): AttemptTrail =>
  startAttempt(ctx.attempts, {
    kind: 'mqtt_sign_in',
    deviceId: username || clientId,
    address: remoteAddress,
  })

const steps: Record<RefusedError['reason'], StepCode> = {
  unknown_device: 'client_unknown',
  wrong_key: 'client_key_wrong',
  client_disabled: 'client_disabled',
  topic_not_allowed: 'will_not_allowed',
  client_id_not_allowed: 'client_id_missing',
  connections_per_address: 'connections_per_address',
  too_many_sessions: 'too_many_sessions',
  too_many_subscriptions: 'protocol_error',
  protocol_error: 'protocol_error',
  server_unavailable: 'server_unavailable',
  unknown_certificate: 'unknown_certificate',
  user_name_differs: 'user_name_differs',
  certificate_revoked: 'certificate_revoked',
  certificate_authority_revoked: 'certificate_authority_revoked',
  certificate_expired_may_renew: 'certificate_expired_may_renew',
  certificate_expired: 'certificate_expired',
  certificate_not_yet_valid: 'certificate_not_yet_valid',
  certificate_superseded: 'certificate_superseded',
  certificate_of_other_tenant: 'certificate_of_other_tenant',
  device_not_registered: 'device_not_registered',
  client_unknown: 'client_unknown',
}

export function endRefusedSignIn(trail: AttemptTrail, { reason, message }: RefusedError): void {
  trail.end(
    reason === 'server_unavailable' ? 'failed' : 'refused',
    steps[reason],
    reason === 'protocol_error' || reason.startsWith('certificate_') ? message : undefined,
  )
}
