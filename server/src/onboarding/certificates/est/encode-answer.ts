/** Encodes answers of EST (RFC 7030): base64 in lines of 64 characters, certificates in PKCS #7. */
import type { IncomingHttpHeaders } from 'node:http'
import {
  explicit,
  objectIdentifier,
  sequence,
  set,
  smallInteger,
  tagged,
} from '../../../lib/der/write-der.ts'
import { answer, type Answer } from '../../../http/route.ts'

const CERTIFICATES_TYPE = 'application/pkcs7-mime; smime-type=certs-only'

const SIGNED_DATA = objectIdentifier('1.2.840.113549.1.7.2')
const DATA = objectIdentifier('1.2.840.113549.1.7.1')

/** A "certs-only" message: signed data without content and without signatures. @param certificates DER @returns DER */
const encodeCertificates = (certificates: Buffer[]): Buffer =>
  sequence(
    SIGNED_DATA,
    explicit(0, sequence(smallInteger(1), set(), sequence(DATA), tagged(0xa0, ...certificates), set())),
  )

const wrapBase64 = (bytes: Buffer, lineEnd: string): string =>
  (bytes.toString('base64').match(/.{1,64}/g) ?? []).map((line) => line + lineEnd).join('')

const base64Answer = (bytes: Buffer, contentType: string, isWrapped = true): Answer =>
  answer(200, isWrapped ? wrapBase64(bytes, '\n') : bytes.toString('base64'), {
    'content-type': contentType,
    'content-transfer-encoding': 'base64',
  })

/** @param certificates DER @param isWrapped whether the base64 has lines of 64 characters, or is one line */
export const certificatesAnswer = (certificates: Buffer[], isWrapped = true): Answer =>
  base64Answer(encodeCertificates(certificates), CERTIFICATES_TYPE, isWrapped)

/**
 * RFC 8951 drops the header Content-Transfer-Encoding and line breaks. strongSwan 5.9 follows it and reads no line breaks;
 * it sends no User-Agent either. Others, such as curl with OpenSSL, may not read a long line.
 */
export const readsLines = (headers: IncomingHttpHeaders): boolean =>
  headers['content-transfer-encoding'] !== undefined || headers['user-agent'] !== undefined

const BOUNDARY = 'gangway-est-boundary'

/** The answer of serverkeygen. @param privateKey PKCS #8 @param certificate DER */
export function keyAndCertificateAnswer(privateKey: Buffer, certificate: Buffer): Answer {
  const part = (type: string, bytes: Buffer) =>
    `--${BOUNDARY}\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n${wrapBase64(bytes, '\r\n')}\r\n`
  const key = part('application/pkcs8', privateKey)
  const certificates = part(CERTIFICATES_TYPE, encodeCertificates([certificate]))
  return answer(200, `${key}${certificates}--${BOUNDARY}--\r\n`, {
    'content-type': `multipart/mixed; boundary=${BOUNDARY}`,
  })
}

const EC_PUBLIC_KEY = '1.2.840.10045.2.1'
const P256 = '1.2.840.10045.3.1.7'
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'

/** Suggests a P-256 key, and ECDSA with SHA-256. */
export const csrAttributesAnswer = (): Answer =>
  base64Answer(
    sequence(
      objectIdentifier(ECDSA_WITH_SHA256),
      sequence(objectIdentifier(EC_PUBLIC_KEY), set(objectIdentifier(P256))),
    ),
    'application/csrattrs',
  )
