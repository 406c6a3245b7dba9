/**
 * The steps of attempts: what each code means, and what to do. A code is stable once released.
 * [docs/onboarding#decision-trace]
 */

interface StepDescription {
  meaning: string
  /** What to do; absent for a step that went well. */
  action?: string
}

const settingsSteps = {
  device_found: { meaning: 'A group has a device with this id.' },
  device_unknown: {
    meaning: 'No group has a device with this id.',
    action: 'Compare the id with that of the device, and add the device to its group.',
  },
  bootstrap_key_accepted: { meaning: 'The bootstrap key of the group was used.' },
  derived_key_accepted: { meaning: 'The key that is derived from the bootstrap key was used.' },
  bootstrap_key_wrong: {
    meaning: 'The key belongs to none of the groups that have the device.',
    action:
      'Put a present bootstrap key of the group, or the key derived from it for this id, into the device. It may have a key that was flipped away.',
  },
  bootstrap_key_not_allowed: {
    meaning: 'The bootstrap key is right, but the group accepts derived keys only.',
    action: 'Put the derived key into the device, or set key_policy of the group to any.',
  },
  too_many_failures: {
    meaning:
      'Too many wrong keys or certificates came for the device or from its network, so that it has to wait.',
    action: 'Correct the key or the certificate. The device may try again after the time in Retry-After.',
  },
  group_unknown: {
    meaning: 'The enrollment group does not exist.',
    action: 'Compare the id of the group with the list of groups.',
  },
  group_enabled: { meaning: 'The group is enabled.' },
  group_disabled: { meaning: 'The group is disabled.', action: 'Enable the group.' },
  device_provisioned: { meaning: 'The device is provisioned.' },
  device_not_provisioned: {
    meaning: 'The device is registered, but not provisioned.',
    action: 'Provision the device.',
  },
  credentials_received: { meaning: 'The provider answered with the keys of the device.' },
  provider_unavailable: {
    meaning: 'The provider did not answer, or not as the provider API says.',
    action: 'See the message; check the provider, and the address and key of the routing target.',
  },
  provider_rejected: {
    meaning: 'The provider does not take the device.',
    action: 'See the message, and look for the device at the provider.',
  },
  provider_slow: {
    meaning: 'The provider did not answer within the time that a device waits for it.',
    action: 'Check the provider.',
  },
  provider_paused: {
    meaning: 'The provider did not answer several times, so that it is not asked for some seconds.',
    action: 'Check the provider. It is tried again by itself.',
  },
  stored_credentials_used: {
    meaning: 'The last known keys were used, because the provider was unavailable.',
    action: 'Check the provider before the stored keys are too old.',
  },
  stored_credentials_missing: {
    meaning: 'The provider was unavailable, and no keys of the device are stored.',
    action:
      'Check the provider. Keys are stored when the device fetches its settings while the provider answers.',
  },
  stored_credentials_expired: {
    meaning: 'The provider was unavailable, and the stored keys are older than the group allows.',
    action: 'Check the provider, or raise offline_settings_max_age_seconds of the group.',
  },
  settings_sent: { meaning: 'The device got its settings.' },
} as const satisfies Record<string, StepDescription>

const provisioningSteps = {
  device_registered: { meaning: 'The device is registered in the group.' },
  device_not_registered: {
    meaning: 'The group has no device with this id.',
    action: 'Add the device to the group first.',
  },
  already_provisioned: { meaning: 'The device was provisioned before.' },
  client_created: { meaning: 'The provider created the client of the device.' },
  client_existed: { meaning: 'The provider had the client of the device already.' },
  enrollment_created: { meaning: 'The device is provisioned from now on.' },
} as const satisfies Record<string, StepDescription>

const mqttSteps = {
  client_found: { meaning: 'A client with this id exists.' },
  client_unknown: {
    meaning: 'No client has this id.',
    action: 'Compare the user name with the ids of the clients, or provision the device.',
  },
  client_key_accepted: { meaning: 'The password is a key of the client.' },
  client_key_wrong: {
    meaning: 'The password is neither of the keys of the client.',
    action: 'Let the device fetch its settings again; its keys may have been rotated.',
  },
  client_enabled: { meaning: 'The client is enabled.' },
  client_disabled: { meaning: 'The client is disabled.', action: 'Enable the client.' },
  will_not_allowed: {
    meaning: 'The will is on a topic of others, or too large.',
    action: 'Put the will on a topic of the device.',
  },
  client_id_missing: {
    meaning: 'A session that is kept was requested without a client id.',
    action: 'Send a client id, or request a clean session.',
  },
  connections_per_address: {
    meaning: 'The address of the device has as many connections as it may have.',
    action: 'Close connections, or raise GANGWAY_MQTT_CONNECTIONS_PER_ADDRESS.',
  },
  too_many_sessions: {
    meaning: 'The client has as many sessions as it may have.',
    action: 'Use one client id for each use of the device, and end sessions that are not needed.',
  },
  protocol_error: {
    meaning: 'CONNECT does not follow the standard, or asks for what is not served.',
    action: 'See the message, and correct the client library of the device.',
  },
  session_opened: { meaning: 'The device is connected.' },
} as const satisfies Record<string, StepDescription>

/** Steps of certificate enrolment and of sign-in with a certificate. */
const certificateSteps = {
  certificate_accepted: { meaning: 'The certificate was issued to the device, and is valid.' },
  unknown_certificate: {
    meaning: 'The certificate was not issued by this platform for the device that it names.',
    action: 'Let the device enrol, and use the certificate that it gets.',
  },
  user_name_differs: {
    meaning: 'The user name is not the device that the certificate names.',
    action: 'Leave the user name empty, or send the device id.',
  },
  certificate_revoked: {
    meaning: 'The certificate was revoked.',
    action: 'If the device is still trusted, let it enrol again with its key.',
  },
  certificate_authority_revoked: {
    meaning: 'The authority that issued the certificate was revoked.',
    action: 'Let the device enrol again with its key.',
  },
  certificate_expired_may_renew: {
    meaning: 'The certificate expired a short time ago. It does not connect, and may still renew.',
    action: 'Let the device renew its certificate before renewal_grace_days of its group are over.',
  },
  certificate_expired: {
    meaning: 'The certificate expired.',
    action: 'Let the device enrol again with its key, and find out why it did not renew in time.',
  },
  certificate_not_yet_valid: {
    meaning: 'The certificate is valid from a later time.',
    action: 'Check the clock of the server.',
  },
  certificate_superseded: {
    meaning: 'A newer certificate of the device has connected since.',
    action: 'Use the newer certificate. If the device does not have it, two devices have the same id.',
  },
  certificate_of_other_tenant: {
    meaning: 'The client with the id of the device belongs to another tenant.',
    action: 'Choose another id for the device.',
  },
} as const satisfies Record<string, StepDescription>

/** Steps of certificate enrolment (EST). */
const enrollmentSteps = {
  manufacturer_certificate_accepted: {
    meaning: 'The certificate of the manufacturer leads to an authority that the group trusts.',
  },
  manufacturer_certificate_refused: {
    meaning: 'The certificate of the manufacturer is not accepted.',
    action: 'See the message; compare the chain of the device with manufacturer_cas of the group.',
  },
  other_group: {
    meaning: 'The credentials belong to another group than the path names.',
    action: 'Use the path of the group of the device.',
  },
  certificates_not_enabled: {
    meaning: 'The group issues no certificates.',
    action: 'Set enabled in the certificate settings of the group.',
  },
  tier_too_low: {
    meaning: 'The group requires a stronger proof of identity.',
    action: 'Use the credentials of minimum_tier, or lower it.',
  },
  certificate_required: {
    meaning: 'Renewal needs the present certificate of the device.',
    action: 'Use simpleenroll with other credentials.',
  },
  request_refused: {
    meaning: 'The certificate request is not accepted.',
    action: 'See the message, and correct the request.',
  },
  enrollment_in_progress: {
    meaning: 'Another enrolment of the device is in progress.',
    action: 'Let the device wait for Retry-After and repeat the request.',
  },
  too_many_certificates: {
    meaning: 'The device got as many certificates as it may get in a day.',
    action: 'Find out why the device does not keep its certificate.',
  },
  certificate_repeated: {
    meaning: 'The request was answered before, and the device got the same certificate again.',
  },
  certificate_issued: { meaning: 'The device got a certificate.' },
} as const satisfies Record<string, StepDescription>

const tlsSteps = {
  server_certificate_refused: {
    meaning: 'The device ended the TLS handshake, because it does not trust the certificate of the server.',
    action:
      'Give the device the certificate of the authority (GET /v1/ca.crt), and let it connect to a host that the certificate names.',
  },
  tls_expected: {
    meaning: 'Clear text came to a port that serves only TLS.',
    action: 'Switch TLS on in the device, or use the port without TLS.',
  },
  tls_not_expected: {
    meaning: 'TLS came to a port that serves only clear text.',
    action: 'Use the port with TLS.',
  },
  tls_handshake_failed: {
    meaning: 'The TLS handshake failed.',
    action: 'See the message. TLS 1.2 or later is needed.',
  },
} as const satisfies Record<string, StepDescription>

const commonSteps = {
  connection_lost: {
    meaning: 'The connection ended before the answer.',
    action: 'Look at the network of the device, and at its time-outs.',
  },
  server_unavailable: {
    meaning: 'The server could not decide, for example because its database did not answer.',
    action: 'Look at the log and the readiness of the server. The device may try again.',
  },
} as const satisfies Record<string, StepDescription>

export const stepCodes = {
  ...settingsSteps,
  ...provisioningSteps,
  ...mqttSteps,
  ...certificateSteps,
  ...enrollmentSteps,
  ...tlsSteps,
  ...commonSteps,
} satisfies Record<string, StepDescription>

export type StepCode = keyof typeof stepCodes

/** @param code also one of a later version, which has no description here */
export const describeStep = (code: string): StepDescription | undefined =>
  (stepCodes as Record<string, StepDescription>)[code]
