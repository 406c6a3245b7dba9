import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import {
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

export interface Authority {
  key: string
  cert: string
  /** Issues a certificate for a PKCS#10 request. Throws if the request is not signed with its own key. */
  issue(request: Buffer, life: { notBefore: Date; notAfter: Date; serialNumber: string }): Promise<Buffer>
}

/** A self-signed certificate for localhost and 127.0.0.1, PEM. It is its own certificate authority. */
export async function selfSignedCertificate(): Promise<Authority> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=localhost',
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
    extensions: [
      new SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
      ]),
    ],
  })
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8.match(/.{1,64}/g)?.join('\n')}\n-----END PRIVATE KEY-----\n`
  return {
    key,
    cert: certificate.toString('pem'),
    issue: (request, life) => issueCertificate({ certificate, signingKey: keys.privateKey }, request, life),
  }
}

async function issueCertificate(
  { certificate, signingKey }: { certificate: X509Certificate; signingKey: webcrypto.CryptoKey },
  encoded: Buffer,
  life: { notBefore: Date; notAfter: Date; serialNumber: string },
): Promise<Buffer> {
  const request = new Pkcs10CertificateRequest(encoded)
  if (!(await request.verify())) throw new Error('the signature of the request is wrong')
  const issued = await X509CertificateGenerator.create({
    ...life,
    subject: request.subject,
    issuer: certificate.subject,
    publicKey: request.publicKey,
    signingKey,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
  })
  return Buffer.from(issued.rawData)
}
