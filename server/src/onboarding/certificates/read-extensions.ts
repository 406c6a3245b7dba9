/** Reads the extensions that decide what a key may be used for. */
import { DerError, readChildren, readDer, readList, readObjectIdentifier } from '../../lib/der/read-der.ts'
import { oids } from './object-identifiers.ts'
import type { Extension } from './read-certificate.ts'

type Extensions = ReadonlyMap<string, Extension>

/** Bits of the first byte of keyUsage. */
export const DIGITAL_SIGNATURE = 0b1000_0000
export const CERTIFICATE_SIGN = 0b0000_0100
export const CRL_SIGN = 0b0000_0010

/** @throws DerError */
export function readConstraints(extensions: Extensions): {
  isAuthority: boolean
  pathLength: number | undefined
} {
  const extension = extensions.get(oids.basicConstraints)
  if (!extension) return { isAuthority: false, pathLength: undefined }
  const values = readChildren(readDer(extension.value))
  const [flag] = values
  const isAuthority = flag?.tag === 0x01 && flag.content[0] === 0xff
  const length = values.find(({ tag }) => tag === 0x02)
  if (!length) return { isAuthority, pathLength: undefined }
  if (length.content.length !== 1 || length.content[0]! > 0x7f)
    throw new DerError('the path length is negative or too large')
  return { isAuthority, pathLength: length.content[0]! }
}

/** @returns the first byte of keyUsage; all bits if the extension is absent, since nothing is forbidden then. @throws DerError */
export function readKeyUsage(extensions: Extensions): number {
  const extension = extensions.get(oids.keyUsage)
  return extension ? (readDer(extension.value).content[1] ?? 0) : 0xff
}

const ANY_USAGE = '2.5.29.37.0'

/** Whether the certificate may be used by a TLS client. @throws DerError */
export function allowsClientAuthentication(extensions: Extensions): boolean {
  const extension = extensions.get(oids.extendedKeyUsage)
  if (!extension) return true
  const usages = readList(readDer(extension.value), 0x30, 'extendedKeyUsage').map(readObjectIdentifier)
  return usages.includes(oids.clientAuth) || usages.includes(ANY_USAGE)
}
