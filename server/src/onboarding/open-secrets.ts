/** Secrets opened once: a webhook without a target's name is checked against all of them, and a sealed value never changes. */
import { createBoundedCache } from '../lib/memo.ts'
import type { Sealer } from '../lib/seal.ts'

const REMEMBERED_SECRETS = 10_000

export type OpenSecret = (sealed: Buffer, place: string) => string

export function createSecretOpener(sealer: Sealer, remembered = REMEMBERED_SECRETS): OpenSecret {
  const opened = createBoundedCache<string, string>(remembered)
  return (sealed, place) => {
    // The place is part of the key, so that a value copied into another row is refused here as by the sealer.
    const key = `${place} ${sealed.toString('latin1')}`
    const known = opened.get(key)
    if (known !== undefined) return known
    const secret = sealer.open(sealed, place)
    opened.set(key, secret)
    return secret
  }
}
