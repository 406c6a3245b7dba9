/**
 * Whether a password is one of a device's two keys. What bcrypt has confirmed once is remembered, so that a reconnect
 * costs microseconds; the hash is part of what is remembered, so that a rotation forgets by itself. [docs/mqtt#sign-in]
 */
import { createHash } from 'node:crypto'
import { verify } from '@node-rs/bcrypt'
import { createBoundedCache } from '../lib/bounded-cache.ts'
import type { Account } from './accounts.ts'

const REMEMBERED_KEYS = 200_000
/** bcrypt reads no further, so that a longer password would equal its beginning. */
const MAX_PASSWORD_BYTES = 72
/** Of a random key that nobody has, at the cost that device keys have: an unknown device takes as long as a wrong key. */
const NOBODYS_HASH = '$2b$04$crmIKZ92yPqMpvH/h9a48OLxVukG9DD95N06LxxFY4jRBi8hMBxeS'
const nobody = { primaryKeyHash: NOBODYS_HASH, secondaryKeyHash: NOBODYS_HASH }

export type KeySlot = 'primary' | 'secondary'
export type FindKeySlot = (account: Account | undefined, password: Buffer) => Promise<KeySlot | undefined>

/** @returns the slot in which the key stands, or nothing for a wrong key or unknown device */
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
