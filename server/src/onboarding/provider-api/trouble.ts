/** What is said when a provider refuses or fails. It names what to do, and nothing of the provider's own insides. */
import { ApiError } from '../../http/errors.ts'

const RETRY_AFTER_SECONDS = 10

/** The device may be fine; the provider is not there, or not what the routing target says. */
export const unavailable = (why: string) =>
  new ApiError('provider_unavailable', `The provider of the routing target ${why}`, {}, RETRY_AFTER_SECONDS)

/** The provider answered, and does not take this device. */
export const rejected = (why: string) => new ApiError('provider_rejected', why)

export const noSuchClient = (deviceId: string) =>
  unavailable(`has no client ${deviceId}. It may have been deleted there.`)

/** An answer that is none of those the Provider API knows. [docs/onboarding#errors] */
export function troubleOfStatus(status: number): ApiError {
  if (status === 401 || status === 403)
    return unavailable('refuses the API key. Set provider_api_key of the routing target anew.')
  if (status === 404)
    return unavailable('has no such address. Check provider_base_url of the routing target.')
  if (status === 400 || status === 409 || status === 422)
    return rejected(`The provider refuses the device (it answered ${status}).`)
  if (status >= 300 && status < 400)
    return unavailable(
      'answers with a redirect, which is not followed. Put the final address into provider_base_url.',
    )
  return unavailable(`answers ${status}. Try again later.`)
}

/** Words of a provider, cut to a length and freed of control characters. */
export const wordsOf = (text: unknown): string | undefined =>
  typeof text === 'string' && text.trim() !== ''
    ? text
        .replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
        .trim()
        .slice(0, 200)
    : undefined
