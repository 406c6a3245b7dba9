/** Brings sessions in line with the stored accounts, after changes of clients that were received or may have been missed. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CertificateChange } from '../../onboarding/certificates/revocation/certificate-changes.ts'
import { type Account, type AccountParts, listAccounts } from './accounts.ts'
import { type Certificate, findCertificates } from './certificates.ts'
import { findEnd } from './judge-certificate.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Session, SessionCertificate } from '../state.ts'

/** The end of a session costs some tenths of a millisecond, and other connections wait meanwhile. */
const AT_ONCE = 250

/**
 * Ends the sessions of clients that are disabled or deleted, or whose key or certificate is no longer valid; the other
 * sessions get the current parser of their client. The stored account decides, so that a change may arrive twice, or at
 * a session that began after it.
 * @param message tells the client's operator who made which change, if that is known
 */
export async function reviewSessions(
  parts: AccountParts,
  sessions: Sessions,
  deviceIds: string[],
  message?: string,
): Promise<void> {
  const present = deviceIds.filter((id) => sessions.byDevice.has(id))
  for (let at = 0; at < present.length; at += AT_ONCE) {
    const chunk = present.slice(at, at + AT_ONCE)
    const accounts = new Map((await listAccounts(parts, chunk)).map((account) => [account.id, account]))
    const reviewed = chunk.flatMap((id) => listSessions(sessions, id))
    for (const session of reviewed) review(session, accounts.get(session.account.id), message)
    await endRefused(parts, reviewed)
  }
}

/** Ends the sessions whose certificates no longer allow them. */
export async function reviewCertificates(
  parts: AccountParts,
  sessions: Sessions,
  { deviceIds, authorityId, message }: CertificateChange,
): Promise<void> {
  const found = (deviceIds ?? [...sessions.byDevice.keys()])
    .flatMap((id) => listSessions(sessions, id))
    .filter(({ certificate }) => certificate && (!authorityId || certificate.authorityId === authorityId))
  for (let at = 0; at < found.length; at += AT_ONCE) {
    await endRefused(parts, found.slice(at, at + AT_ONCE), message)
    await nextTurn()
  }
}

const listSessions = ({ byDevice }: Sessions, deviceId: string): Session[] => [
  ...(byDevice.get(deviceId)?.connected ?? []),
]

function review(
  { account, certificate, keyHash, live }: Session,
  now: Account | undefined,
  message?: string,
): void {
  if (now?.number !== account.number) return live.end('client_deleted', message ?? 'The client was deleted.')
  if (!now.enabled) return live.end('client_disabled', message ?? 'The client was disabled.')
  account.parse = now.parse
  if (certificate) return
  if (keyHash === now.primaryKeyHash) live.signedInWith = 'primary'
  else if (keyHash === now.secondaryKeyHash) live.signedInWith = 'secondary'
  else live.end('keys_rotated', message ?? 'The key that the device signed in with is no longer valid.')
}

/** @param sessions some of which may have ended, or have no certificate */
async function endRefused(parts: AccountParts, sessions: Session[], message?: string): Promise<void> {
  const signedIn = sessions.filter(({ certificate }) => certificate)
  if (signedIn.length === 0) return
  const fingerprints = signedIn.map(({ certificate }) => certificate!.fingerprint)
  const certificates = await findCertificates(parts, fingerprints)
  for (const { certificate, live } of signedIn) {
    const end = findSessionEnd(certificates, certificate!)
    if (end) live.end(end.ends, message ?? end.message)
  }
}

/** A certificate is deleted only with its tenant. */
function findSessionEnd(certificates: Map<string, Certificate>, { fingerprint }: SessionCertificate) {
  const certificate = certificates.get(fingerprint.toString('hex'))
  if (certificate) return findEnd(certificate, Date.now())
  return { ends: 'certificate_revoked' as const, message: 'The certificate was deleted.' }
}
