/** The address of a server and the variables that configure it. */
export interface ListenAddress {
  /** If undefined, all addresses. */
  host: string | undefined
  port: number
  hostVariable: string
  portVariable: string
}

/** `cause` is the system's error. */
export class ListenError extends Error {
  override name = 'ListenError'
  readonly address: ListenAddress
  readonly code: string | undefined
  constructor(address: ListenAddress, cause: NodeJS.ErrnoException) {
    super(`${address.portVariable}: cannot listen on port ${address.port} (${cause.message})`, { cause })
    this.address = address
    this.code = cause.code
  }
}
