/**
 * The onboarding service refused permanently; retrying does not help.
 *
 * `status` is the HTTP status; `code` is the service's own code (`unauthorized`, `enrollment_group_disabled`, …), or
 * `http_<status>` where the answer holds none, or `invalid_settings` where a 200 is no JSON object.
 */
export class OnboardingError extends Error {
  override readonly name = 'OnboardingError'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}
