/** Errors for a provider that refuses or fails. They say what to do, and reveal no internals of the provider. */
import { ApiError } from '../../http/errors.ts'

const RETRY_AFTER_SECONDS = 10

/** The provider cannot be reached, or does not behave as the routing target expects. */
export const providerUnavailable = (why: string) =>
  new ApiError('provider_unavailable', `The provider of the routing target ${why}`, {}, RETRY_AFTER_SECONDS)

/** The provider answered and refuses the device. */
export const providerRejected = (why: string) => new ApiError('provider_rejected', why)

export const noSuchClient = (deviceId: string) =>
  providerUnavailable(`has no client ${deviceId}. It may have been deleted there.`)

/** Converts a status that the Provider API does not define. [docs/onboarding#errors] */
export function errorFromStatus(status: number): ApiError {
  if (status === 401 || status === 403)
    return providerUnavailable('refuses the API key. Set a new provider_api_key in the routing target.')
  if (status === 404)
    return providerUnavailable('does not know this address. Check provider_base_url of the routing target.')
  if (status === 400 || status === 409 || status === 422)
    return providerRejected(`The provider refuses the device (it answered ${status}).`)
  if (status >= 300 && status < 400)
    return providerUnavailable(
      'answers with a redirect, which is not followed. Put the final address into provider_base_url.',
    )
  return providerUnavailable(`answers ${status}. Try again later.`)
}

/** Truncates a provider's message and removes its control characters. */
export const cleanReason = (text: unknown): string | undefined =>
  typeof text === 'string' && text.trim() !== ''
    ? text
        .replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
        .trim()
        .slice(0, 200)
    : undefined
