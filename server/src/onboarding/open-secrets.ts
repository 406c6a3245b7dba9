/** Caches opened secrets: an event that names no routing target is checked against the webhook secrets of all targets. */
import { createBoundedCache } from '../lib/bounded-cache.ts'
import type { Sealer } from '../lib/seal.ts'

const MAX_CACHED_SECRETS = 10_000

export type OpenSecret = (sealed: Buffer, place: string) => string

export function createSecretOpener(sealer: Sealer, maxSecrets = MAX_CACHED_SECRETS): OpenSecret {
  const opened = createBoundedCache<string, string>(maxSecrets)
  return (sealed, place) => {
    // The place is part of the key, so that a value copied into another row is refused, as the sealer does.
    const key = `${place} ${sealed.toString('latin1')}`
    const known = opened.get(key)
    if (known !== undefined) return known
    const secret = sealer.open(sealed, place)
    opened.set(key, secret)
    return secret
  }
}
