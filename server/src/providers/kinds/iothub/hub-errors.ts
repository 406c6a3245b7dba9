import { ApiError } from '../../../http/errors.ts'
import { targetName, type Target } from './paths.ts'

const MAX_REASON = 300

interface Refused {
  status: number
  json: Record<string, unknown> | undefined
  text: string
}

/** What a refusal of the hub means to whoever asked us. */
export function refusal(answer: Refused, target: Target): ApiError {
  const { status } = answer
  switch (status) {
    case 401:
    case 403:
      return new ApiError(
        'provider_unavailable',
        'IoT Hub refuses the connection string. Check its key, and that its policy may read and write the registry and connect as a service.',
      )
    case 404:
      return new ApiError('conflict', `IoT Hub has no ${targetName(target)}. Provision the client again.`)
    case 409:
    case 412:
      return new ApiError(
        'conflict',
        `The ${targetName(target)} is being changed in IoT Hub just now. Try again.`,
      )
    case 400:
    case 413:
      return new ApiError('provider_rejected', `IoT Hub refuses this: ${readReason(answer)}`)
    default:
      return new ApiError('provider_unavailable', `IoT Hub answered ${status}. Try again later.`)
  }
}

/** The hub's own words, of which it has had several forms. */
function readReason({ json, text }: Refused): string {
  const reason = json?.Message ?? json?.message ?? text
  return String(reason)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON)
}
