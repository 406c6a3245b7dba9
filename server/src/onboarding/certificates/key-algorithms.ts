/** Keys that certificates may have, and how authorities sign with theirs. [docs/certificates#algorithms] */
import { createHash, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { sequence, objectIdentifier, tagged } from '../../lib/der/write-der.ts'

const signAsync = promisify(sign)

interface SigningAlgorithm {
  /** Of `crypto.sign`; null where the key decides. */
  hash: 'sha256' | 'sha384' | null
  /** AlgorithmIdentifier, DER. */
  identifier: Buffer
}

const NULL = tagged(0x05)
const signingAlgorithms = {
  'P-256': { hash: 'sha256', identifier: sequence(objectIdentifier('1.2.840.10045.4.3.2')) },
  'P-384': { hash: 'sha384', identifier: sequence(objectIdentifier('1.2.840.10045.4.3.3')) },
  RSA: { hash: 'sha256', identifier: sequence(objectIdentifier('1.2.840.113549.1.1.11'), NULL) },
  Ed25519: { hash: null, identifier: sequence(objectIdentifier('1.3.101.112')) },
} satisfies Record<string, SigningAlgorithm>

type KeyKind = keyof typeof signingAlgorithms

const RSA_BITS = { minimum: 2048, maximum: 4096 }
/** Larger exponents make the verification slow. */
const MAX_RSA_EXPONENT = 2n ** 32n
export const ACCEPTED_KEYS = 'EC P-256 or P-384, RSA with 2048 to 4096 bits, or Ed25519'
export const ACCEPTED_SIGNATURES = 'SHA-256, SHA-384 or SHA-512 with ECDSA or RSA (PKCS #1), or Ed25519'

/** Hashes of `crypto.verify` by the object identifier of the signature's algorithm; null where the key decides. */
const hashes: Record<string, 'sha256' | 'sha384' | 'sha512' | null> = {
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.3.101.112': null,
}

/** @returns undefined for a signature that is not accepted, such as one with SHA-1 */
export const findHash = (oid: string): 'sha256' | 'sha384' | 'sha512' | null | undefined => hashes[oid]

/** @returns undefined for a key that is not accepted */
export function findKeyKind({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): KeyKind | undefined {
  const { namedCurve, modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {}
  switch (asymmetricKeyType) {
    case 'ec':
      return namedCurve === 'prime256v1' ? 'P-256' : namedCurve === 'secp384r1' ? 'P-384' : undefined
    case 'rsa':
      return modulusLength >= RSA_BITS.minimum &&
        modulusLength <= RSA_BITS.maximum &&
        publicExponent >= 3n &&
        publicExponent <= MAX_RSA_EXPONENT
        ? 'RSA'
        : undefined
    case 'ed25519':
      return 'Ed25519'
    default:
      return undefined
  }
}

export interface Signer {
  /** AlgorithmIdentifier of its signatures, DER. */
  algorithm: Buffer
  /** Signs outside of the event loop. */
  sign(data: Buffer): Promise<Buffer>
}

/** @throws Error for a key that is not accepted */
export function createSigner(privateKey: KeyObject): Signer {
  const kind = findKeyKind(privateKey)
  if (!kind) throw new Error(`an authority cannot have a key of type ${privateKey.asymmetricKeyType}`)
  const { hash, identifier } = signingAlgorithms[kind]
  return { algorithm: identifier, sign: (data) => signAsync(hash, data, privateKey) }
}

export const sha256 = (data: Uint8Array): Buffer => createHash('sha256').update(data).digest()

/** The first 160 bits of the SHA-256 of the key, as RFC 7093 allows. @param spki SubjectPublicKeyInfo, DER */
export const makeKeyIdentifier = (spki: Uint8Array): Buffer => sha256(spki).subarray(0, 20)
