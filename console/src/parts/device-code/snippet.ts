/** The values that are inserted into the examples. */
export interface Filled {
  /** Where the device fetches its settings. */
  origin: string
  /** Where the authority is, which the onboarding service does not serve if it has a port of its own. */
  platformOrigin: string
  host: string
  port: number
  isTls: boolean
  deviceId: string
  /**
   * The key with which the device fetches its settings; null for a device without onboarding, which stores its broker
   * key.
   */
  onboardingKey: string | null
  /** The key for the broker. */
  brokerKey: string
  /** The authority that issued the server's own certificate; empty if there is none. */
  ca: string
}

/** A piece of code with its description. */
export interface Snippet {
  /** The translation key of the description. */
  step: 'settings' | 'ca' | 'publish' | 'subscribe' | 'install' | 'file' | 'run' | 'flash'
  /** The name of the file; absent for commands. */
  name?: string
  code: string
}

/** Quotes a text for a shell, which then expands nothing in it. */
export const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** The command that downloads the authority; empty if the server's certificate has another issuer. */
export const getCa = ({ platformOrigin, isTls, ca }: Filled): Snippet[] =>
  isTls && ca !== ''
    ? [{ step: 'ca', code: `curl -sS ${quote(`${platformOrigin}/v1/ca.crt`)} -o ca.crt` }]
    : []
