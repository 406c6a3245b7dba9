import type { Account } from './accounts.ts'
import type { Certificate } from './certificates.ts'
import type { KeySlot } from './device-keys.ts'

/** A device that has proved its identity. */
export interface SignedIn {
  account: Account
  /** The key or the certificate that the device signed in with. */
  credential: KeySlot | Certificate
}
