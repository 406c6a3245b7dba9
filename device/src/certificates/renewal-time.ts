import type { X509Certificate } from 'node:crypto'
import { equalJitterMs } from '../back-off.ts'
import type { Clock } from '../clock.ts'
import type { Identity } from './identity.ts'

const HOUR_MS = 3_600_000
const LONGEST_WAIT_MS = 24 * HOUR_MS
/** Share of the life by which a fleet that enrolled at the same time is spread, before and after two thirds. */
const SPREAD = 0.05

/**
 * When the certificate in use is to be renewed, in milliseconds since the epoch: at two thirds of its life, with jitter.
 *
 * @param random in [0, 1)
 */
export function renewAtMs(identity: Identity, random: number): number {
  const inUse = identity.candidates().find(({ isNext }) => !isNext)
  if (!inUse) return -Infinity
  const startMs = Date.parse(inUse.certificate.validFrom)
  const lifeMs = expiresAtMs(inUse.certificate) - startMs
  return startMs + lifeMs * (2 / 3 + SPREAD * (2 * random - 1))
}

export const expiresAtMs = ({ validTo }: X509Certificate): number => Date.parse(validTo)

/**
 * The wait after a refused renewal, in milliseconds: an hour, doubled up to a day, less up to half of it as jitter.
 *
 * @param refusals in a row, counted from 1
 */
export const renewalDelayMs = (refusals: number, clock: Clock): number =>
  equalJitterMs(Math.min(LONGEST_WAIT_MS, HOUR_MS * 2 ** (refusals - 1)), clock.random())
