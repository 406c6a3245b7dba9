/** Validates many devices with bounded concurrency. [docs/onboarding#limits] */
import { ApiError } from '../../http/errors.ts'

export const CONCURRENT_VALIDATIONS = 20

/**
 * Stops after as many consecutive requests without an answer as may run at once: ten thousand devices would otherwise
 * wait for ten thousand timeouts.
 * @param validate throws an ApiError for a device that is refused
 * @returns in the order of the ids: undefined for an accepted device
 */
export async function validateAll(deviceIds: string[], validate: (deviceId: string) => Promise<void>) {
  const verdicts: (ApiError | undefined)[] = Array.from({ length: deviceIds.length })
  let next = 0
  let failedInARow = 0
  let givenUp: ApiError | undefined

  const validateNext = async () => {
    while (next < deviceIds.length) {
      const index = next++
      verdicts[index] = givenUp ?? (await findRefusal(() => validate(deviceIds[index]!)))
      failedInARow = verdicts[index]?.code === 'provider_unavailable' ? failedInARow + 1 : 0
      if (failedInARow >= CONCURRENT_VALIDATIONS) givenUp = verdicts[index]
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_VALIDATIONS }, validateNext))
  return verdicts
}

async function findRefusal(validate: () => Promise<void>): Promise<ApiError | undefined> {
  try {
    await validate()
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
