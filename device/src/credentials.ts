export type CredentialName = 'primary' | 'secondary' | 'certificate'

/** `password` is absent if the device uses a client certificate instead of a key. */
export interface Credential {
  name: CredentialName
  password?: string
}

/** Chooses the next key. The key that worked last stays first, since after a rotation the other is no longer valid. */
export interface Credentials {
  current(): Credential
  accepted(): void
  /** Switches to the other key. Returns true if that one was not tried since the last success or back-off. */
  refused(): boolean
}

export function createCredentials(first: Credential, ...others: Credential[]): Credentials {
  const all = [first, ...others]
  let index = 0
  let refusals = 0
  return {
    current: () => all[index] ?? first,
    accepted() {
      refusals = 0
    },
    refused() {
      index = (index + 1) % all.length
      refusals = (refusals + 1) % all.length
      return refusals !== 0
    },
  }
}
