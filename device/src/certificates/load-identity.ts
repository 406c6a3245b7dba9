import type { ResolvedAccess } from './enrollment-access.ts'
import type { Identity } from './identity.ts'
import { createIdentity } from './identity.ts'
import type { KeyPair } from './key-pair.ts'
import { decodeKeyPair } from './key-pair.ts'
import type { CertificateStore, StoredName } from './store.ts'
import { createDirectoryStore } from './store.ts'

/** Reads what the device stored and completes an exchange that a power cut interrupted. */
export async function loadIdentity(
  access: ResolvedAccess,
  store: string | CertificateStore,
): Promise<Identity> {
  const opened = typeof store === 'string' ? createDirectoryStore(store) : store
  const stored = await read(opened, 'current')
  const current = stored?.certificates.length ? stored : null
  let next = await read(opened, 'next')
  if (current && next && current.request.equals(next.request)) {
    await opened.remove('next')
    next = null
  }
  const identity = createIdentity({ access, store: opened, current, next })
  // The first certificate needs no connection to prove itself, since there is no other.
  if (!current && next?.certificates.length) await identity.exchange()
  return identity
}

async function read(store: CertificateStore, name: StoredName): Promise<KeyPair | null> {
  const text = await store.read(name)
  return text === null ? null : decodeKeyPair(text)
}
