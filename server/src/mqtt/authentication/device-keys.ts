/**
 * Checks whether a password is one of a device's two keys. Results confirmed by bcrypt are cached, so that a reconnect
 * costs microseconds. The hash is part of the cache key, so that a rotation needs no invalidation. [docs/mqtt#sign-in]
 */
import { createHash } from 'node:crypto'
import { verify } from '@node-rs/bcrypt'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import type { Account } from './accounts.ts'

const REMEMBERED_KEYS = 200_000
/** bcrypt ignores the bytes after these, so that a longer password would be equal to its beginning. */
const MAX_PASSWORD_BYTES = 72
/** The bcrypt hash of a discarded random key. Checking it makes an unknown device take as long as a wrong key. */
const NOBODYS_HASH = '$2b$04$crmIKZ92yPqMpvH/h9a48OLxVukG9DD95N06LxxFY4jRBi8hMBxeS'
const nobody = { primaryKeyHash: NOBODYS_HASH, secondaryKeyHash: NOBODYS_HASH }

export type KeySlot = 'primary' | 'secondary'
export type FindKeySlot = (account: Account | undefined, password: Buffer) => Promise<KeySlot | undefined>

/** @returns a function that finds the slot of a key; it yields undefined for a wrong key or an unknown device */
export function createKeyVerifier(): FindKeySlot {
  const confirmed = createBoundedCache<string, true>(REMEMBERED_KEYS)

  const isKey = async (hash: string | null, password: Buffer) => {
    if (hash === null) return false
    const digest = createHash('sha256').update(hash).update(password).digest('base64')
    if (confirmed.get(digest)) return true
    if (!(await verify(password, hash).catch(() => false))) return false
    confirmed.set(digest, true)
    return true
  }

  return async (account, password) => {
    if (password.length > MAX_PASSWORD_BYTES) return undefined
    const { primaryKeyHash, secondaryKeyHash } = account ?? nobody
    if (await isKey(primaryKeyHash, password)) return 'primary'
    return (await isKey(secondaryKeyHash, password)) ? 'secondary' : undefined
  }
}
