import { createBoundedCache } from '../../lib/bounded-cache.ts'
import type { Sealer } from '../../lib/seal.ts'
import { type DeviceKeys, openKeys } from './device-keys.ts'
import type { SealedKeyTexts } from './store.ts'

/** Returns undefined for a client without keys, whose provider stores none here. */
export type OpenKeys = (row: SealedKeyTexts) => DeviceKeys | undefined

export const createKeyOpener =
  (sealer: Sealer): OpenKeys =>
  ({ primary_key_sealed: primary, secondary_key_sealed: secondary, ...row }) =>
    openKeys(sealer.open, {
      ...row,
      primary_key_sealed: hexBytes(primary),
      secondary_key_sealed: hexBytes(secondary),
    })

/** Reads PostgreSQL's text format of `bytea`: `\x` and hexadecimal digits. */
const hexBytes = (text: string | null) => (text === null ? null : Buffer.from(text.slice(2), 'hex'))

/**
 * Caches opened keys, because decryption is the most expensive part of a settings request. An entry is valid only for
 * the row that it was opened from, so that a value copied into another row is refused here too.
 */
export function createCachingKeyOpener(sealer: Sealer, maxClients: number): OpenKeys {
  const open = createKeyOpener(sealer)
  const opened = createBoundedCache<string, { row: SealedKeyTexts; keys: DeviceKeys }>(maxClients)
  return (row) => {
    const known = opened.get(row.id)
    if (known && isSame(known.row, row)) return known.keys
    const keys = open(row)
    if (keys) opened.set(row.id, { row, keys })
    return keys
  }
}

const isSame = (one: SealedKeyTexts, other: SealedKeyTexts) =>
  one.primary_key_sealed === other.primary_key_sealed &&
  one.secondary_key_sealed === other.secondary_key_sealed &&
  one.tenant_id === other.tenant_id
