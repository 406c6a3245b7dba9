/** Assets of a board that were deleted, or that the user may not see: the rest of the board goes on. */
import { ApiError } from '@gangway/client'

/** The asset that the end of a subscription names; undefined if it ended for another reason. */
export function findMissing(end: Error, assets: string[]): string | undefined {
  if (end instanceof ApiError && end.code !== 'not_found' && end.code !== 'forbidden') return undefined
  return assets.filter((id) => end.message.includes(` ${id}.`)).toSorted((a, b) => b.length - a.length)[0]
}

const isAboutAsset = (error: unknown) =>
  error instanceof ApiError && (error.status === 403 || error.status === 404)

/**
 * Answers of several assets, without those of missing ones.
 * @throws what else went wrong; the refusal if all assets are missing
 */
export function keepFound<Answer>(settled: PromiseSettledResult<Answer[]>[]): Answer[] {
  const refused = settled.filter((one) => one.status === 'rejected')
  const failed = refused.find(({ reason }) => !isAboutAsset(reason))
  if (failed !== undefined) throw failed.reason
  if (refused.length > 0 && refused.length === settled.length) throw refused[0]!.reason
  return settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}
