/** Tells all nodes that certificates were revoked, so that the sessions of their devices end. [docs/certificates#revocation] */
import { channel, halve } from '../../../nodes/channel.ts'

/** Concerns the certificates of some devices, or all of an authority. */
export interface CertificateChange {
  deviceIds?: string[]
  authorityId?: string
  /** Who did what, for the operator of the clients. */
  message: string
}

/** A node that missed changes reviews all its sessions when its connection is back. */
export const certificateChanges = channel<CertificateChange>('gangway_certificates_changed', {
  split: halve('deviceIds'),
})
