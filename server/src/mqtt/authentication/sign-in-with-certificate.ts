/** Signs a device in with its certificate, without a password. [docs/certificates#mqtt] */
import { isDeviceId } from '../../http/page.ts'
import type { AttemptTrail } from '../../onboarding/trace/start-attempt.ts'
import type { Presence } from '../sessions/presence.ts'
import type { LoadAccount } from './accounts.ts'
import type { Certificate, LoadCertificate } from './certificates.ts'
import type { RecordFirstConnection } from './first-connections.ts'
import { type CertificateRefusal, findMismatch, findRefusal } from './judge-certificate.ts'
import type { PeerCertificate } from './peer-certificate.ts'
import { RefusedError, withinReason } from './refused-error.ts'
import type { SignedIn } from './signed-in.ts'

export interface CertificateSignInParts {
  loadAccount: LoadAccount
  loadCertificate: LoadCertificate
  recordFirstConnection: RecordFirstConnection
  presence: Presence
}

interface CertificateSignIn {
  peer: PeerCertificate
  username: string | undefined
  trail: AttemptTrail
}

/** @throws RefusedError */
export async function signInWithCertificate(
  parts: CertificateSignInParts,
  { peer, username = '', trail }: CertificateSignIn,
): Promise<SignedIn> {
  const certificate = await withinReason(parts.loadCertificate(peer.fingerprint))
  if (certificate) trail.assign({ tenantId: certificate.tenantId, groupId: certificate.groupId ?? undefined })
  const refusal =
    findMismatch(certificate, peer, username) ?? (certificate && findRefusal(certificate, Date.now()))
  if (refusal) throw await refuse(parts, { refusal, certificate, peer, trail })
  trail.step('certificate_accepted')
  const { account, connectedAt, id } = certificate!
  // A disabled client does not connect with the certificate.
  if (connectedAt === null && account!.enabled) await withinReason(parts.recordFirstConnection(id))
  return { account: account!, credential: certificate! }
}

interface Refused {
  refusal: CertificateRefusal
  certificate: Certificate | undefined
  peer: PeerCertificate
  trail: AttemptTrail
}

/** Records the refusal for the client with the device id of the certificate, if there is one. */
async function refuse(
  { loadAccount, presence }: CertificateSignInParts,
  { refusal: { code, reason, message }, certificate, peer: { commonName }, trail }: Refused,
): Promise<RefusedError> {
  const isKnown = certificate !== undefined || commonName === undefined || !isDeviceId(commonName)
  const account = isKnown ? certificate?.account : await withinReason(loadAccount(commonName))
  if (account) presence.refused(account.number, reason, message)
  if (!certificate && account) trail.assignUnproven(account)
  return new RefusedError(code, reason, message)
}
