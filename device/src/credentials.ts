import type { DeviceError } from './device-error.ts'

export type CredentialName = 'primary' | 'secondary' | 'certificate'

/** `password` is absent if the device uses a client certificate instead of a key. */
export interface Credential {
  name: CredentialName
  password?: string
  /** Certificate and private key, PEM, where they change during the device's life. */
  tls?: { cert: string; key: string }
}

/** Chooses what the next session signs in with. */
export interface Credentials {
  current(): Credential
  accepted(): void
  /** Returns true if the next attempt may follow at once, since another credential takes its turn. */
  failed(reason: DeviceError): boolean
  /** Calls `listener` when a session with another credential is to replace the open one. Returns how to stop it. */
  onReplaced?(listener: () => void): () => void
}

/** The key that worked last stays first, since after a rotation the other is no longer valid. */
export function createCredentials(first: Credential, ...others: Credential[]): Credentials {
  const all = [first, ...others]
  let index = 0
  let refusals = 0
  return {
    current: () => all[index] ?? first,
    accepted() {
      refusals = 0
    },
    failed({ code }) {
      if (code !== 'credentials_refused') return false
      index = (index + 1) % all.length
      refusals = (refusals + 1) % all.length
      return refusals !== 0
    },
  }
}
