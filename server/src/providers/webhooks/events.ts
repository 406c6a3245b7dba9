/** The events that webhooks receive. */

/** The body of the request. [docs/providers#webhooks] */
export type ProviderEvent = DeviceEvent | CertificateEvent

interface DeviceEvent {
  id: string
  event: 'device.deleted'
  device_id: string
  occurred_at: string
}

/** [docs/certificates#events] */
export interface CertificateEvent {
  id: string
  event: 'certificate.expiring' | 'certificate.revoked'
  device_id: string
  occurred_at: string
  certificate: {
    id: string
    enrollment_group_id: string | null
    serial_number: string
    fingerprint: string
    not_after: string
    revocation_reason: string | null
  }
}

export const eventNames: readonly ProviderEvent['event'][] = [
  'device.deleted',
  'certificate.expiring',
  'certificate.revoked',
]
