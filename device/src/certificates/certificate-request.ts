import type { KeyObject } from 'node:crypto'
import { createPublicKey, sign } from 'node:crypto'
import { BIT_STRING, CONTEXT_0, encodeDer, INTEGER, OBJECT_ID, SEQUENCE, SET, UTF8_STRING } from './der.ts'

/** 2.5.4.3 */
const COMMON_NAME = Buffer.from('550403', 'hex')
/** 1.2.840.10045.4.3.2 */
const ECDSA_WITH_SHA256 = Buffer.from('2a8648ce3d040302', 'hex')

/** A PKCS#10 certificate request in DER with the device id as CN, signed with its own key (ECDSA). */
export function createCertificateRequest(deviceId: string, privateKey: KeyObject): Buffer {
  const commonName = encodeDer(
    SEQUENCE,
    encodeDer(OBJECT_ID, COMMON_NAME),
    encodeDer(UTF8_STRING, Buffer.from(deviceId)),
  )
  const information = encodeDer(
    SEQUENCE,
    encodeDer(INTEGER, Buffer.of(0)),
    encodeDer(SEQUENCE, encodeDer(SET, commonName)),
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    encodeDer(CONTEXT_0),
  )
  return encodeDer(
    SEQUENCE,
    information,
    encodeDer(SEQUENCE, encodeDer(OBJECT_ID, ECDSA_WITH_SHA256)),
    encodeDer(BIT_STRING, Buffer.of(0), sign('sha256', information, privateKey)),
  )
}
