/** Checks what a request asks for. The identity comes from the authentication, so that a name in it can only be the same or wrong. */
import { DerError } from '../../../lib/der/read-der.ts'
import { ApiError, validationError } from '../../../http/errors.ts'
import { oids } from '../object-identifiers.ts'
import type { Extension } from '../read-certificate.ts'
import { CERTIFICATE_SIGN, CRL_SIGN, readConstraints, readKeyUsage } from '../read-extensions.ts'
import { readAlternativeNames, readNameParts } from './read-names.ts'
import type { CertificateRequest } from './read-request.ts'

const MAX_ALTERNATIVE_NAMES = 5

/** Attributes that ask for an encrypted private key: DecryptKeyIdentifier and AsymmetricDecryptKeyIdentifier. */
const ENCRYPTED_KEY_ATTRIBUTES = ['1.2.840.113549.1.9.16.2.37', '1.2.840.113549.1.9.16.2.54']

/** @throws validation_error; forbidden if it names another device. [docs/certificates#requests] */
export function checkRequest(request: CertificateRequest, deviceId: string): void {
  try {
    checkSubject(request.subject, deviceId)
    checkExtensions(request.extensions, deviceId)
  } catch (error) {
    if (error instanceof DerError) throw refuse(`cannot be read: ${error.message}.`)
    throw error
  }
  if (request.attributes.some((oid) => ENCRYPTED_KEY_ATTRIBUTES.includes(oid)))
    throw refuse('asks for an encrypted private key, which is not supported. TLS encrypts the answer.')
}

const refuse = (message: string) => validationError({ path: 'certificate request', message })

const refuseName = (what: string, name: string, deviceId: string) =>
  new ApiError(
    'forbidden',
    `The certificate request has ${what} "${printable(name)}", but the device signed in as "${deviceId}". Leave it out, or use the id of the device.`,
  )

const printable = (text: string) => text.slice(0, 128).replaceAll(/[^\x20-\x7e]/g, '?')

function checkSubject(subject: Buffer, deviceId: string) {
  const names = readNameParts(subject).filter(({ oid }) => oid === oids.commonName)
  const other = names.find(({ value }) => value !== deviceId)
  if (other) throw refuseName('the common name (CN)', other.value, deviceId)
}

function checkExtensions(extensions: Map<string, Extension>, deviceId: string) {
  const names = extensions.get(oids.subjectAltName)
  if (names) checkAlternativeNames(readAlternativeNames(names.value), deviceId)
  if (readConstraints(extensions).isAuthority)
    throw refuse('asks for a certificate authority. Devices get certificates for clients only.')
  const usage = extensions.has(oids.keyUsage) ? readKeyUsage(extensions) : 0
  if ((usage & (CERTIFICATE_SIGN | CRL_SIGN)) !== 0)
    throw refuse('asks for a key that signs certificates. Leave keyCertSign and cRLSign out.')
}

function checkAlternativeNames(names: string[], deviceId: string) {
  if (names.length > MAX_ALTERNATIVE_NAMES)
    throw refuse(`has ${names.length} alternative names; the limit is ${MAX_ALTERNATIVE_NAMES}.`)
  const other = names.find((name) => name !== deviceId)
  if (other !== undefined) throw refuseName('the alternative name', other, deviceId)
}
