/** Decides whether a device may connect with its certificate. [docs/certificates#mqtt] */
import type { DisconnectReason } from '../../providers/live-sessions.ts'
import { ReasonCode } from '../connection/reason-codes.ts'
import type { RefusalReason } from '../sessions/presence.ts'
import type { Certificate } from './certificates.ts'
import type { PeerCertificate } from './peer-certificate.ts'

const DAY_MS = 24 * 3600 * 1000

export interface CertificateRefusal {
  reason: RefusalReason
  code: ReasonCode
  message: string
  /** The reason with which an earlier session ends; undefined if it goes on. */
  ends?: DisconnectReason
}

interface Rule extends Omit<CertificateRefusal, 'message' | 'code'> {
  applies(certificate: Certificate, nowMs: number): boolean
  message(certificate: Certificate): string
}

/** The first rule that applies is the answer. */
const rules: Rule[] = [
  {
    reason: 'certificate_revoked',
    applies: ({ revokedAt }) => revokedAt !== null,
    message: ({ revokedAt, revocationReason }) =>
      `The certificate was revoked at ${revokedAt!.toISOString()} (${revocationReason ?? 'unspecified'}).`,
    ends: 'certificate_revoked',
  },
  {
    reason: 'certificate_authority_revoked',
    applies: ({ authorityStatus }) => authorityStatus === 'revoked',
    message: () => 'The authority that issued the certificate was revoked. Enrol again.',
    ends: 'certificate_revoked',
  },
  {
    reason: 'certificate_expired_may_renew',
    applies: (certificate, nowMs) =>
      certificate.notAfter.getTime() <= nowMs && nowMs < graceEndMs(certificate),
    message: (certificate) =>
      `The certificate expired at ${certificate.notAfter.toISOString()}. It does not connect, and may renew until ${new Date(graceEndMs(certificate)).toISOString()}.`,
    ends: 'certificate_expired',
  },
  {
    reason: 'certificate_expired',
    applies: ({ notAfter }, nowMs) => notAfter.getTime() <= nowMs,
    message: ({ notAfter }) => `The certificate expired at ${notAfter.toISOString()}. Enrol again.`,
    ends: 'certificate_expired',
  },
  {
    reason: 'certificate_not_yet_valid',
    applies: ({ notBefore }, nowMs) => nowMs < notBefore.getTime(),
    message: ({ notBefore }) => `The certificate is valid from ${notBefore.toISOString()}.`,
  },
  {
    reason: 'certificate_superseded',
    applies: ({ supersededAt }) => supersededAt !== null,
    message: ({ supersededAt }) =>
      `A newer certificate of the device connected at ${supersededAt!.toISOString()}. Use that one.`,
  },
  {
    reason: 'device_not_registered',
    applies: ({ isRegistered }) => !isRegistered,
    message: ({ deviceId }) => `The device ${deviceId} was removed from its enrollment group.`,
    ends: 'certificate_revoked',
  },
  {
    reason: 'client_unknown',
    applies: ({ account }) => account === undefined,
    message: ({ deviceId }) => `There is no client ${deviceId} on this broker. Provision the device.`,
    ends: 'client_deleted',
  },
  {
    reason: 'certificate_of_other_tenant',
    applies: ({ account, tenantId }) => account!.tenantId !== tenantId,
    message: ({ deviceId }) => `The client ${deviceId} does not belong to the tenant of the certificate.`,
    ends: 'certificate_revoked',
  },
]

const graceEndMs = ({ notAfter, renewalGraceDays }: Certificate): number =>
  notAfter.getTime() + renewalGraceDays * DAY_MS

/** @returns why the device may not connect with the certificate, or undefined */
export function findRefusal(certificate: Certificate, nowMs: number): CertificateRefusal | undefined {
  return describe(
    rules.find((rule) => rule.applies(certificate, nowMs)),
    certificate,
  )
}

/** @returns why a session that began with the certificate ends, or undefined */
export function findEnd(
  certificate: Certificate,
  nowMs: number,
): (CertificateRefusal & { ends: DisconnectReason }) | undefined {
  return describe(
    rules.find((rule) => rule.ends && rule.applies(certificate, nowMs)),
    certificate,
  ) as ReturnType<typeof findEnd>
}

const describe = (rule: Rule | undefined, certificate: Certificate): CertificateRefusal | undefined =>
  rule && {
    reason: rule.reason,
    code: ReasonCode.notAuthorized,
    message: rule.message(certificate),
    ...(rule.ends && { ends: rule.ends }),
  }

/** Compares the certificate with the record of its issue and with the user name. Its state is judged separately. */
export function findMismatch(
  certificate: Certificate | undefined,
  { commonName, organizationalUnit }: PeerCertificate,
  username: string,
): CertificateRefusal | undefined {
  const code = ReasonCode.badUserNameOrPassword
  if (!certificate)
    return {
      reason: 'unknown_certificate',
      code,
      message: 'The certificate was not issued by this platform for a device. Enrol the device.',
    }
  if (commonName !== certificate.deviceId || organizationalUnit !== certificate.tenantId)
    return {
      reason: 'unknown_certificate',
      code,
      message: 'The subject of the certificate is not the device and the tenant that it was issued for.',
    }
  if (username !== '' && username !== commonName)
    return {
      reason: 'user_name_differs',
      code,
      message: `The user name is not ${commonName}, which the certificate names. Leave it empty, or send the same.`,
    }
  return undefined
}
