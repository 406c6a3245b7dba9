import { createBoundedCache } from '../../lib/memo.ts'
import type { Sealer } from '../../lib/seal.ts'
import { type DeviceKeys, openKeys } from './device-keys.ts'
import type { SealedKeyTexts } from './store.ts'

/** Nothing for a client without keys, which is one of a provider that keeps none here. */
export type OpenKeys = (row: SealedKeyTexts) => DeviceKeys | undefined

export const createKeyOpener =
  (sealer: Sealer): OpenKeys =>
  ({ primary_key_sealed: primary, secondary_key_sealed: secondary, ...row }) =>
    openKeys(sealer.open, {
      ...row,
      primary_key_sealed: hexBytes(primary),
      secondary_key_sealed: hexBytes(secondary),
    })

/** As PostgreSQL writes a `bytea`: `\x` and hexadecimal digits. */
const hexBytes = (text: string | null) => (text === null ? null : Buffer.from(text.slice(2), 'hex'))

/**
 * For who asks again and again: the ciphers cost more than everything else of a settings request. What is remembered
 * holds for the very row that it was opened from, so that a value copied into another row is refused here too.
 */
export function createRememberingKeyOpener(sealer: Sealer, maxClients: number): OpenKeys {
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
