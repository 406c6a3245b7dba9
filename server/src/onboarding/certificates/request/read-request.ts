/** Reads a PKCS #10 certificate request (RFC 2986), which may be hostile, and verifies its signature. */
import { verify } from 'node:crypto'
import { promisify } from 'node:util'
import {
  DerError,
  type DerValue,
  expectTag,
  readChildren,
  readDer,
  readList,
  readObjectIdentifier,
} from '../../../lib/der/read-der.ts'
import { validationError } from '../../../http/errors.ts'
import { ACCEPTED_SIGNATURES, findHash, sha256 } from '../key-algorithms.ts'
import { type Extension, readExtensions } from '../read-certificate.ts'
import { readKey } from './read-key.ts'

const verifyAsync = promisify(verify)

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14'

export interface CertificateRequest {
  /** Name, DER. */
  subject: Buffer
  /** SubjectPublicKeyInfo, DER. */
  publicKey: Buffer
  /** Object identifiers of its attributes. */
  attributes: string[]
  /** Requested extensions, by object identifier. */
  extensions: Map<string, Extension>
  /** SHA-256 of the whole request. */
  fingerprint: Buffer
}

/** @param der at most as large as the route reads @throws validation_error that says what is wrong */
export async function readCertificateRequest(der: Buffer): Promise<CertificateRequest> {
  const parts = readParts(der)
  const { key, encoded } = readKey(parts.publicKey)
  const hash = findHash(parts.signatureAlgorithm)
  if (hash === undefined)
    throw refuse(`is signed with an algorithm that is not accepted. Use ${ACCEPTED_SIGNATURES}.`)
  const isRight = await verifyAsync(hash, parts.signed, key, parts.signature).catch(() => false)
  if (!isRight)
    throw refuse('has a wrong signature. Sign it with the private key that belongs to its public key.')
  const { subject, attributes, extensions } = parts
  return { subject, publicKey: encoded, attributes, extensions, fingerprint: sha256(der) }
}

const refuse = (message: string) => validationError({ path: 'certificate request', message })

function readParts(der: Buffer) {
  try {
    const [info, algorithm, signature] = readList(readDer(der), 0x30, 'the request')
    const [, subject, publicKey, attributes] = readList(info, 0x30, 'the content of the request')
    const { content } = expectTag(signature, 0x03, 'the signature')
    return {
      signed: info!.bytes,
      subject: expectTag(subject, 0x30, 'the subject').bytes,
      publicKey: expectTag(publicKey, 0x30, 'the public key').bytes,
      signatureAlgorithm: readObjectIdentifier(readList(algorithm, 0x30, 'the signature algorithm')[0]),
      // The first byte is the number of unused bits.
      signature: content.subarray(1),
      ...readAttributes(attributes),
    }
  } catch (error) {
    if (error instanceof DerError) throw refuse(`is not PKCS #10 in DER: ${error.message}.`)
    throw error
  }
}

function readAttributes(list: DerValue | undefined) {
  const attributes = (list ? readChildren(expectTag(list, 0xa0, 'the list of attributes')) : []).map(
    (attribute) => {
      const [oid, values] = readList(attribute, 0x30, 'an attribute')
      return { oid: readObjectIdentifier(oid), values }
    },
  )
  const requested = attributes.find(({ oid }) => oid === EXTENSION_REQUEST)
  return {
    attributes: attributes.map(({ oid }) => oid),
    extensions: requested
      ? readExtensions(readList(requested.values, 0x31, 'the requested extensions')[0])
      : new Map<string, Extension>(),
  }
}
