/** Many validations, few at a time. [docs/onboarding#limits] */
import { ApiError } from '../../http/errors.ts'

const CONCURRENT_VALIDATIONS = 20

/**
 * A provider that answers none of as many as may be under way is not asked about the rest: ten thousand devices would
 * wait for ten thousand time-outs.
 * @param validate throws an ApiError for a device that is refused
 * @returns in the ids' order, nothing for a device that is not refused
 */
export async function validateAll(deviceIds: string[], validate: (deviceId: string) => Promise<void>) {
  const verdicts: (ApiError | undefined)[] = Array.from({ length: deviceIds.length })
  let next = 0
  let failedInARow = 0
  let givenUp: ApiError | undefined

  const validateNext = async () => {
    while (next < deviceIds.length) {
      const index = next++
      verdicts[index] = givenUp ?? (await refusalOf(() => validate(deviceIds[index]!)))
      failedInARow = verdicts[index]?.code === 'provider_unavailable' ? failedInARow + 1 : 0
      if (failedInARow >= CONCURRENT_VALIDATIONS) givenUp = verdicts[index]
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_VALIDATIONS }, validateNext))
  return verdicts
}

async function refusalOf(validate: () => Promise<void>): Promise<ApiError | undefined> {
  try {
    await validate()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
