/**
 * - `credentials_refused`: the broker knows neither the device nor this key (CONNACK 4 or 5)
 * - `connection_failed`: no connection was established: network, TLS, time limit, or another CONNACK
 * - `connection_lost`: an open connection ended unexpectedly
 * - `subscription_refused`: the broker refused the subscription to desired properties and methods
 * - `invalid_message`, `message_too_large`: refused before sending; the message is not buffered
 * - `dropped`: removed from the full buffer unsent
 * - `closed`: the device was closed before the broker acknowledged the message
 * - `invalid_desired`, `invalid_invocation`: the cloud sent a message that violates the protocol
 * - `store_failed`: the store of the certificate could not be written; `cause` is its error
 * - `handler_failed`: the application's handler threw; `cause` is its error
 */
export type DeviceErrorCode =
  | 'credentials_refused'
  | 'connection_failed'
  | 'connection_lost'
  | 'subscription_refused'
  | 'invalid_message'
  | 'message_too_large'
  | 'dropped'
  | 'closed'
  | 'invalid_desired'
  | 'invalid_invocation'
  | 'store_failed'
  | 'handler_failed'

/** The error that a connected device rejects with or reports by its `error` event. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError'
  readonly code: DeviceErrorCode

  constructor(code: DeviceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
