/** Reads names and alternative names of certificates and certificate requests. */
import {
  DerError,
  type DerValue,
  readChildren,
  readDer,
  readList,
  readObjectIdentifier,
} from '../../../lib/der/read-der.ts'

/** More parts are not read: names of devices have a handful. */
const MAX_PARTS = 20

/** The parts of a name, by object identifier. Encodings that cannot be read are left out. @throws DerError */
export function readNameParts(name: Buffer): { oid: string; value: string }[] {
  const sets = readList(readDer(name), 0x30, 'the name')
  if (sets.length > MAX_PARTS) throw new DerError(`the name has more than ${MAX_PARTS} parts`)
  return sets.flatMap((part) =>
    readList(part, 0x31, 'a part of the name').map((pair) => {
      const [oid, value] = readList(pair, 0x30, 'a part of the name')
      if (!value) throw new DerError('a part of the name has no value')
      return { oid: readObjectIdentifier(oid), value: readText(value) }
    }),
  )
}

function readText({ tag, content }: DerValue): string {
  switch (tag) {
    case 0x0c: // UTF8String
      return content.toString('utf8')
    case 0x13: // PrintableString
    case 0x14: // TeletexString
    case 0x16: // IA5String
      return content.toString('latin1')
    case 0x1e: // BMPString
      return Buffer.from(content.subarray(0, content.length & ~1))
        .swap16()
        .toString('utf16le')
    default:
      throw new DerError('a part of the name has an encoding that is not read; use UTF8String')
  }
}

const DNS_NAME = 0x82

/** @param value of the extension subjectAltName @returns DNS names as text, others by their tag @throws DerError */
export const readAlternativeNames = (value: Buffer): string[] =>
  readChildren(readDer(value)).map(({ tag, content }) =>
    tag === DNS_NAME ? content.toString('latin1') : `a name of type ${tag & 0x1f}`,
  )
