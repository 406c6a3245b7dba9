/** Reads the public key of a certificate request, which may be hostile. */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { validationError } from '../../../http/errors.ts'
import { ACCEPTED_KEYS, findKeyKind } from '../key-algorithms.ts'

export interface RequestKey {
  key: KeyObject
  /** SubjectPublicKeyInfo, DER, the same for the same key. */
  encoded: Buffer
}

/** @param publicKey SubjectPublicKeyInfo, DER @throws validation_error */
export function readKey(publicKey: Buffer): RequestKey {
  const isUsual = publicKey.length === P256_BYTES && publicKey.subarray(0, P256_HEAD.length).equals(P256_HEAD)
  const key = parse(() => (isUsual ? readPoint(publicKey) : readAny(publicKey)))
  if (isUsual) return { key, encoded: publicKey }
  if (!findKeyKind(key)) throw refuse(`a key that is not accepted (${describeKey(key)})`)
  return { key, encoded: encodeKey(key) }
}

const refuse = (what: string) =>
  validationError({ path: 'certificate request', message: `has ${what}. Use ${ACCEPTED_KEYS}.` })

function parse(read: () => KeyObject): KeyObject {
  try {
    return read()
  } catch {
    throw refuse('a public key that cannot be read')
  }
}

const COORDINATE_BYTES = 32
/** The beginning of every P-256 key whose curve is named and whose point is not compressed. */
const P256_HEAD = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d03010703420004', 'hex')
const P256_BYTES = P256_HEAD.length + 2 * COORDINATE_BYTES

/** OpenSSL needs half a millisecond to decode and encode any key; with the coordinates it only checks the point. */
function readPoint(publicKey: Buffer): KeyObject {
  const [x, y] = [0, COORDINATE_BYTES].map((offset) => {
    const start = P256_HEAD.length + offset
    return publicKey.toString('base64url', start, start + COORDINATE_BYTES)
  })
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' })
}

const readAny = (publicKey: Buffer) => createPublicKey({ key: publicKey, format: 'der', type: 'spki' })

/**
 * A key has many encodings (compressed points, parameters that are ignored), and a key that is refused would come back in
 * another one.
 */
function encodeKey(key: KeyObject): Buffer {
  const uncompressed =
    key.asymmetricKeyType === 'ec'
      ? createPublicKey({ key: key.export({ format: 'jwk' }), format: 'jwk' })
      : key
  return uncompressed.export({ type: 'spki', format: 'der' })
}

function describeKey({ asymmetricKeyType, asymmetricKeyDetails: details }: KeyObject) {
  const size = details?.modulusLength ? ` with ${details.modulusLength} bits` : ''
  return `${asymmetricKeyType}${details?.namedCurve ? ` ${details.namedCurve}` : size}`
}
