/**
 * The EST server refused permanently; retrying does not help.
 *
 * `status` is the HTTP status; `code` is the server's own code (`unauthorized`, `forbidden`, …), or `http_<status>`
 * where the answer holds none, or `invalid_answer` where a 200 holds no certificate for this device and key.
 */
export class EnrollmentError extends Error {
  override readonly name = 'EnrollmentError'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}
