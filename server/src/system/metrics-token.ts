import { createHash, timingSafeEqual } from 'node:crypto'
import type { Config } from '../config.ts'
import { ApiError } from '../http/errors.ts'

const digest = (text: string) => createHash('sha256').update(text).digest()

/** If GANGWAY_METRICS_TOKEN is set, the metrics require it as bearer token. @throws unauthorized */
export function requireMetricsToken(
  { metricsToken }: Pick<Config, 'metricsToken'>,
  authorization: string | undefined,
): void {
  if (metricsToken === undefined) return
  // Digests have equal lengths, which the constant-time comparison requires.
  if (timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${metricsToken}`))) return
  throw new ApiError('unauthorized', 'Send the token of GANGWAY_METRICS_TOKEN as "Authorization: Bearer …".')
}
