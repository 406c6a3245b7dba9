import { createHash, timingSafeEqual } from 'node:crypto'
import type { Config } from '../config.ts'
import { ApiError } from '../http/errors.ts'

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Where GANGWAY_METRICS_TOKEN is set, only its bearer sees the metrics. @throws unauthorized */
export function requireMetricsToken(
  { metricsToken }: Pick<Config, 'metricsToken'>,
  authorization: string | undefined,
): void {
  if (metricsToken === undefined) return
  // Digests have one length, which the comparison in constant time needs.
  if (timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${metricsToken}`))) return
  throw new ApiError('unauthorized', 'Send the token of GANGWAY_METRICS_TOKEN as "Authorization: Bearer …".')
}
