import { ApiError } from '../../../http/errors.ts'
import { targetName, type Target } from './paths.ts'

const MAX_REASON = 300

interface RefusedAnswer {
  status: number
  json: Record<string, unknown> | undefined
  text: string
}

/** Converts an error of the hub into an ApiError. */
export function toApiError(answer: RefusedAnswer, target: Target): ApiError {
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
        `The ${targetName(target)} was changed in IoT Hub at the same time. Try again.`,
      )
    case 400:
    case 413:
      return new ApiError('provider_rejected', `IoT Hub refuses this: ${readReason(answer)}`)
    default:
      return new ApiError('provider_unavailable', `IoT Hub answered ${status}. Try again later.`)
  }
}

/** Returns the hub's error message, which has had several formats. */
function readReason({ json, text }: RefusedAnswer): string {
  const reason = json?.Message ?? json?.message ?? text
  return String(reason)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON)
}
