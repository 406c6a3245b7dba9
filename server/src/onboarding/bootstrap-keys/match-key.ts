/** Finds the bootstrap key that the secret of a device proves, either as it is or derived for the device. */
import { timingSafeEqual } from 'node:crypto'
import { deriveKey } from './derive-key.ts'
import type { Slot } from './slots.ts'

/** How a device used a bootstrap key: sent as it is, or as the key derived from it. [docs/onboarding#derived-keys] */
export const KEY_KINDS = ['bootstrap', 'derived'] as const
export type KeyKind = (typeof KEY_KINDS)[number]

/** `derived_only` refuses the bootstrap key itself. */
export const KEY_POLICIES = ['any', 'derived_only'] as const
export type KeyPolicy = (typeof KEY_POLICIES)[number]

export interface BootstrapKey {
  id: string
  slot: Slot
  /** The base64 text, which a device sends. */
  text: Buffer
  /** The 32 decoded bytes, from which the keys of devices are derived. */
  bytes: Buffer
}

export interface KeyMatch {
  key: BootstrapKey
  kind: KeyKind
  /** False for a bootstrap key that is right, and refused by the policy of its group. */
  allowed: boolean
}

interface Candidates {
  bootstrapKeys: BootstrapKey[]
  keyPolicy: KeyPolicy
}

/** Length of the base64 text of 32 bytes: of a bootstrap key and of a derived key. */
const SECRET_BYTES = 44

/**
 * Compares the secret with all slots, so that the duration does not reveal the matching one. Deriving costs
 * microseconds, so an accepted bootstrap key skips it; a refused one does not, and takes as long as a wrong secret.
 */
export function matchKey(
  { bootstrapKeys, keyPolicy }: Candidates,
  deviceId: string,
  secret: Buffer,
): KeyMatch | undefined {
  if (secret.length !== SECRET_BYTES) return undefined
  const used = findEqual(bootstrapKeys, secret, ({ text }) => text)
  if (used && keyPolicy === 'any') return { key: used, kind: 'bootstrap', allowed: true }
  const base = findEqual(bootstrapKeys, secret, ({ bytes }) => Buffer.from(deriveKey(bytes, deviceId)))
  if (base) return { key: base, kind: 'derived', allowed: true }
  return used && { key: used, kind: 'bootstrap', allowed: false }
}

const findEqual = (keys: BootstrapKey[], secret: Buffer, read: (key: BootstrapKey) => Buffer) =>
  keys.filter((key) => timingSafeEqual(read(key), secret))[0]
