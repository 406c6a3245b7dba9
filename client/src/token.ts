/** The bearer token of requests, and its renewal when the server refuses it. */

export interface TokenOptions {
  /** An API token, or a function that returns the present access token; undefined sends none. */
  token?: string | (() => string | undefined | Promise<string | undefined>)
  /**
   * Obtains a new access token after the server has refused one; `token` is asked again afterwards. Requests that are
   * refused meanwhile wait for the same call.
   */
  renew?: (refused: string | undefined) => unknown
}

export interface TokenSource {
  read(): Promise<string | undefined>
  /** @returns another token than the refused one, or undefined if there is none */
  renew(refused: string | undefined): Promise<string | undefined>
}

export function createTokenSource({ token, renew }: TokenOptions): TokenSource {
  let renewal: Promise<unknown> | undefined
  const read = async () => (typeof token === 'function' ? token() : token)
  const readOther = async (refused: string | undefined) => {
    const present = await read()
    return present === refused ? undefined : present
  }
  return {
    read,
    renew: async (refused) => {
      // Another request may have renewed it since this one was sent.
      const other = await readOther(refused)
      if (other !== undefined || renew === undefined) return other
      renewal ??= Promise.resolve(renew(refused)).finally(() => (renewal = undefined))
      await renewal
      return readOther(refused)
    },
  }
}
