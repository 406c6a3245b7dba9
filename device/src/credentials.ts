export type CredentialName = 'primary' | 'secondary' | 'certificate'

/** `password` is absent where the device shows a client certificate instead of a key. */
export interface Credential {
  name: CredentialName
  password?: string
}

/** Which key comes next. The one that worked last stays first, since after a rotation the other is dead for good. */
export interface Credentials {
  current(): Credential
  accepted(): void
  /** Moves on to the other key. True where that one is untried since the last success or back-off. */
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
