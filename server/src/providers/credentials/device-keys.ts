/**
 * Device keys are kept twice: sealed, for the settings answer, and as bcrypt hashes, for the broker. [docs/providers#credentials]
 */
import { hash } from '@node-rs/bcrypt'
import { newKey } from '../../lib/ids.ts'
import { type Sealer, sealedPlace } from '../../lib/seal.ts'

/**
 * Slowness protects passwords that people choose. A device key is 256 random bits, which no speed of guessing finds,
 * and a site that comes back after a power cut brings thousands of devices at once: the lowest cost there is.
 */
const DEVICE_KEY_BCRYPT_COST = 4

export interface DeviceKeys {
  primaryKey: string
  secondaryKey: string
}

/** The columns of `provider_clients` that hold keys. */
export interface KeyColumns {
  primary_key_sealed: Buffer
  primary_key_hash: string
  secondary_key_sealed: Buffer
  secondary_key_hash: string
}

interface SealedKeys {
  tenant_id: string
  id: string
  primary_key_sealed: Buffer | null
  secondary_key_sealed: Buffer | null
}

type Slot = 'primary' | 'secondary'

const placeOf = (slot: Slot, tenantId: string, clientId: string) =>
  sealedPlace('provider_clients', `${slot}_key_sealed`, tenantId, clientId)

const hashKey = (key: string) => hash(key, { cost: DEVICE_KEY_BCRYPT_COST })

/** Two new keys for a client that need not exist yet. */
export async function newKeyColumns(sealer: Sealer, tenantId: string, clientId: string): Promise<KeyColumns> {
  const [primary, secondary] = [newKey(), newKey()]
  const [primaryHash, secondaryHash] = await Promise.all([hashKey(primary), hashKey(secondary)])
  return {
    ...sealedKeyColumns(sealer, tenantId, clientId, { primaryKey: primary, secondaryKey: secondary }),
    primary_key_hash: primaryHash,
    secondary_key_hash: secondaryHash,
  }
}

/** Of a client whose keys somebody else checks: there is nothing to compare with a hash. */
export const sealedKeyColumns = (
  sealer: Sealer,
  tenantId: string,
  clientId: string,
  { primaryKey, secondaryKey }: DeviceKeys,
) => ({
  primary_key_sealed: sealer.seal(primaryKey, placeOf('primary', tenantId, clientId)),
  secondary_key_sealed: sealer.seal(secondaryKey, placeOf('secondary', tenantId, clientId)),
})

/** The secondary key becomes primary, and a new secondary is made. */
export async function rotatedKeyColumns(
  sealer: Sealer,
  row: SealedKeys & { secondary_key_hash: string | null },
): Promise<KeyColumns | undefined> {
  const keys = openKeys(sealer.open, row)
  if (!keys || !row.secondary_key_hash) return undefined
  const fresh = await newKeyColumns(sealer, row.tenant_id, row.id)
  return {
    ...fresh,
    // Sealed anew: a sealed value opens only in the column that it was sealed for.
    primary_key_sealed: sealer.seal(keys.secondaryKey, placeOf('primary', row.tenant_id, row.id)),
    primary_key_hash: row.secondary_key_hash,
  }
}

/**
 * @param open the sealer's, or one that remembers what it opened
 * @returns nothing for a client without keys, which is one of a provider that keeps none here
 */
export function openKeys(open: Sealer['open'], row: SealedKeys): DeviceKeys | undefined {
  if (!row.primary_key_sealed || !row.secondary_key_sealed) return undefined
  return {
    primaryKey: open(row.primary_key_sealed, placeOf('primary', row.tenant_id, row.id)),
    secondaryKey: open(row.secondary_key_sealed, placeOf('secondary', row.tenant_id, row.id)),
  }
}
