/** Encodes and signs a certificate revocation list, version 2. [RFC 5280, 5] */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  bitString,
  explicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  smallInteger,
  tagged,
  time,
} from '../../../lib/der/write-der.ts'
import type { RevocationReason } from '../../../database/tables/certificates.ts'
import type { Authority } from '../authorities/authority.ts'
import { oids } from '../object-identifiers.ts'
import { reasonCodes } from '../revocation/reasons.ts'

export interface RevokedCertificate {
  /** Hexadecimal digits. */
  serialNumber: string
  revokedAt: Date
  reason: RevocationReason
}

export interface CrlContent {
  /** Grows with each list of the authority. */
  number: number
  thisUpdate: Date
  nextUpdate: Date
  revoked: RevokedCertificate[]
}

const ENUMERATED = 0x0a
const VERSION_2 = smallInteger(1)

/** @returns DER */
export async function encodeCrl(
  { name, keyIdentifier, signer }: Pick<Authority, 'name' | 'keyIdentifier' | 'signer'>,
  content: CrlContent,
): Promise<Buffer> {
  const list = sequence(
    VERSION_2,
    signer.algorithm,
    name,
    time(content.thisUpdate),
    time(content.nextUpdate),
    ...(await encodeRevoked(content.revoked)),
    explicit(
      0,
      sequence(
        extension(oids.authorityKeyIdentifier, sequence(tagged(0x80, keyIdentifier))),
        extension(oids.crlNumber, smallInteger(content.number)),
      ),
    ),
  )
  return sequence(list, signer.algorithm, bitString(await signer.sign(list)))
}

const ENTRIES_PER_TURN = 1000

/** An empty list is left out. A long one is encoded in several turns of the event loop. */
async function encodeRevoked(revoked: RevokedCertificate[]): Promise<Buffer[]> {
  if (revoked.length === 0) return []
  const chunks: Buffer[] = []
  for (let start = 0; start < revoked.length; start += ENTRIES_PER_TURN) {
    if (start > 0) await nextTurn()
    chunks.push(Buffer.concat(revoked.slice(start, start + ENTRIES_PER_TURN).map(encodeEntry)))
  }
  return [sequence(Buffer.concat(chunks))]
}

const encodeEntry = ({ serialNumber, revokedAt, reason }: RevokedCertificate): Buffer =>
  sequence(integer(Buffer.from(serialNumber, 'hex')), time(revokedAt), ...reasonExtensions[reason])

const extension = (id: string, value: Buffer): Buffer => sequence(objectIdentifier(id), octetString(value))

/** The reason "unspecified" is left out. [RFC 5280, 5.3.1] */
const reasonExtensions = Object.fromEntries(
  Object.entries(reasonCodes).map(([reason, code]) => [
    reason,
    code === 0 ? [] : [sequence(extension(oids.crlReason, tagged(ENUMERATED, Buffer.of(code))))],
  ]),
) as Record<RevocationReason, Buffer[]>
