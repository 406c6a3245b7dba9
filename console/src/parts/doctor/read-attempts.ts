import type { Attempt, Cure, Finding, Stage } from './finding.ts'

const stageOfKind: Record<string, Stage> = {
  settings: 'settings',
  provisioning: 'registration',
  certificate: 'settings',
  mqtt_sign_in: 'connection',
  tls_handshake: 'network',
}

const cures: Record<string, Cure[]> = {
  device_unknown: ['register'],
  device_not_registered: ['register'],
  device_not_provisioned: ['provision'],
  client_unknown: ['provision'],
  group_disabled: ['enable-group', 'see-group'],
  client_disabled: ['enable-client'],
  bootstrap_key_wrong: ['copy-key', 'see-readiness'],
  bootstrap_key_not_allowed: ['copy-key', 'see-readiness'],
  too_many_failures: ['copy-key', 'see-readiness'],
  provider_unavailable: ['see-group'],
  provider_rejected: ['see-group'],
  provider_slow: ['see-group'],
  provider_paused: ['see-group'],
  stored_credentials_missing: ['see-group'],
  stored_credentials_expired: ['see-group'],
  other_group: ['see-group'],
  unknown_certificate: ['see-certificates'],
  user_name_differs: ['copy-id'],
  client_id_missing: ['copy-id'],
  certificate_revoked: ['see-certificates'],
  certificate_authority_revoked: ['see-certificates'],
  certificate_expired: ['see-certificates'],
  certificate_expired_may_renew: ['see-certificates'],
  certificate_not_yet_valid: ['see-certificates'],
  too_many_certificates: ['see-certificates'],
  certificate_superseded: ['see-certificates'],
  certificates_not_enabled: ['see-enrolment'],
  tier_too_low: ['see-enrolment'],
  certificate_required: ['see-enrolment'],
  manufacturer_certificate_refused: ['see-enrolment'],
  client_key_wrong: ['copy-settings-command'],
  server_certificate_refused: ['get-ca'],
  tls_expected: ['copy-plain-address'],
  tls_not_expected: ['copy-tls-address'],
  will_not_allowed: ['copy-topic'],
}

/** Converts attempts of the device, and of unknown ids, to findings. */
export function readAttempts(attempts: Attempt[], deviceId: string): Finding[] {
  return attempts.map((attempt) => {
    const isOther = attempt.device_id !== deviceId && attempt.device_id !== ''
    const given = attempt.outcome === 'succeeded' ? [] : (cures[attempt.code] ?? [])
    return {
      key: `${attempt.kind} ${attempt.device_id} ${attempt.code} ${attempt.address} ${attempt.first_started_at}`,
      at: Date.parse(attempt.started_at),
      state: attempt.outcome === 'succeeded' ? 'good' : 'bad',
      stage: isOther ? 'registration' : (stageOfKind[attempt.kind] ?? 'settings'),
      event: attempt.kind,
      code: attempt.code,
      message: attempt.steps.at(-1)?.message ?? null,
      advice: attempt.what_to_do,
      count: attempt.count,
      address: attempt.address,
      ...(isOther && { otherId: attempt.device_id }),
      cures: isOther ? ['copy-id'] : given,
    }
  })
}

/** Whether an attempt with an unknown id may be of this device: it was made while the page was open. */
export const mayBeOurs = (attempt: Attempt, { deviceId, sinceMs }: { deviceId: string; sinceMs: number }) =>
  attempt.device_id !== deviceId &&
  ['device_unknown', 'client_unknown'].includes(attempt.code) &&
  Date.parse(attempt.started_at) >= sinceMs
