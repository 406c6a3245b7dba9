import { X509Certificate } from 'node:crypto'
import type { DerElement } from './der.ts'
import { CONTEXT_0, readDer, SEQUENCE } from './der.ts'

/** Reads the certificates of a PKCS#7 message without signatures (`certs-only`), the answer of EST. Throws if it is not one. */
export function readCertificates(message: Buffer): X509Certificate[] {
  const [contentInfo] = readDer(message)
  const content = child(contentInfo, CONTEXT_0)
  const signedData = child(content, SEQUENCE)
  const certificates = child(signedData, CONTEXT_0)
  return readDer(certificates.contents).map(({ encoded }) => new X509Certificate(encoded))
}

function child(parent: DerElement | undefined, tag: number): DerElement {
  const found = parent && readDer(parent.contents).find((element) => element.tag === tag)
  if (!found) throw new Error('the answer is not a PKCS#7 message with certificates')
  return found
}
