/** Errors for a provider that refuses or fails. They say what to do, and reveal no internals of the provider. */
import { ApiError } from '../../http/errors.ts'

const RETRY_AFTER_SECONDS = 10

/** The meaning of a failed call: the provider is away, or it answered that it does not have the client. */
type Reason = 'outage' | 'no_such_client' | 'other'

class ProviderUnavailable extends ApiError {
  constructor(
    why: string,
    readonly reason: Reason,
  ) {
    super('provider_unavailable', `The provider of the routing target ${why}`, {}, RETRY_AFTER_SECONDS)
  }
}

/** The provider does not behave as the routing target expects. */
export const providerUnavailable = (why: string, reason: Reason = 'other'): ApiError =>
  new ProviderUnavailable(why, reason)

/** The provider was not asked, because it did not answer several times. */
export const providerPaused = () =>
  providerUnavailable('did not answer several times, and is asked again in some seconds.', 'outage')

/** Whether the provider could not be reached, did not answer in time, or answered 5xx. */
export const isOutage = (error: unknown): boolean =>
  error instanceof ProviderUnavailable && error.reason === 'outage'
export const isNoSuchClient = (error: unknown): boolean =>
  error instanceof ProviderUnavailable && error.reason === 'no_such_client'

/** The provider answered and refuses the device. */
export const providerRejected = (why: string) => new ApiError('provider_rejected', why)

export const noSuchClient = (deviceId: string) =>
  providerUnavailable(`has no client ${deviceId}. It may have been deleted there.`, 'no_such_client')

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
  return providerUnavailable(`answers ${status}. Try again later.`, status >= 500 ? 'outage' : 'other')
}

/** Truncates a provider's message and removes its control characters. */
export const cleanReason = (text: unknown): string | undefined =>
  typeof text === 'string' && text.trim() !== ''
    ? text
        .replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
        .trim()
        .slice(0, 200)
    : undefined
