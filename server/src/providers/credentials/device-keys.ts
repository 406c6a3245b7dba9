/**
 * Device keys are stored twice: sealed, for the settings answer, and as bcrypt hashes, for the broker. [docs/providers#credentials]
 */
import { hash } from '@node-rs/bcrypt'
import { newKey } from '../../lib/ids.ts'
import { type Sealer, sealedPlace } from '../../lib/seal.ts'

/**
 * The lowest cost that bcrypt allows. A high cost protects passwords that people choose; a device key has 256 random
 * bits and cannot be guessed. After a power cut thousands of devices sign in at once.
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

const keyPlace = (slot: Slot, tenantId: string, clientId: string) =>
  sealedPlace('provider_clients', `${slot}_key_sealed`, tenantId, clientId)

const hashKey = (key: string) => hash(key, { cost: DEVICE_KEY_BCRYPT_COST })

/** Generates two keys. The client need not exist yet. */
export async function newKeyColumns(sealer: Sealer, tenantId: string, clientId: string): Promise<KeyColumns> {
  const [primary, secondary] = [newKey(), newKey()]
  const [primaryHash, secondaryHash] = await Promise.all([hashKey(primary), hashKey(secondary)])
  return {
    ...sealedKeyColumns(sealer, tenantId, clientId, { primaryKey: primary, secondaryKey: secondary }),
    primary_key_hash: primaryHash,
    secondary_key_hash: secondaryHash,
  }
}

/** Returns columns without hashes, for a client whose keys are checked by a remote provider. */
export const sealedKeyColumns = (
  sealer: Sealer,
  tenantId: string,
  clientId: string,
  { primaryKey, secondaryKey }: DeviceKeys,
) => ({
  primary_key_sealed: sealer.seal(primaryKey, keyPlace('primary', tenantId, clientId)),
  secondary_key_sealed: sealer.seal(secondaryKey, keyPlace('secondary', tenantId, clientId)),
})

/** The secondary key becomes primary, and a new secondary key is generated. */
export async function rotatedKeyColumns(
  sealer: Sealer,
  row: SealedKeys & { secondary_key_hash: string | null },
): Promise<KeyColumns | undefined> {
  const keys = openKeys(sealer.open, row)
  if (!keys || !row.secondary_key_hash) return undefined
  const fresh = await newKeyColumns(sealer, row.tenant_id, row.id)
  return {
    ...fresh,
    // A sealed value can be opened only in its own column, so the key is sealed again for the primary slot.
    primary_key_sealed: sealer.seal(keys.secondaryKey, keyPlace('primary', row.tenant_id, row.id)),
    primary_key_hash: row.secondary_key_hash,
  }
}

/**
 * @param open the function of the sealer, or one with a cache
 * @returns undefined for a client without keys, whose provider stores none here
 */
export function openKeys(open: Sealer['open'], row: SealedKeys): DeviceKeys | undefined {
  if (!row.primary_key_sealed || !row.secondary_key_sealed) return undefined
  return {
    primaryKey: open(row.primary_key_sealed, keyPlace('primary', row.tenant_id, row.id)),
    secondaryKey: open(row.secondary_key_sealed, keyPlace('secondary', row.tenant_id, row.id)),
  }
}
