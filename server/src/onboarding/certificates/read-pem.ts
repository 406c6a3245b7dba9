import { CertificateProblem } from './certificate-problem.ts'

/** @returns the certificates of a text in PEM, as DER @throws CertificateProblem if there is none */
export function readPem(text: string): Buffer[] {
  const blocks = [
    ...text.matchAll(/-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g),
  ]
  if (blocks.length === 0) throw new CertificateProblem('holds no certificate in PEM')
  return blocks.map(([, base64]) => Buffer.from(base64!, 'base64'))
}

/** @throws CertificateProblem unless there is exactly one certificate */
export function readOnePem(text: string): Buffer {
  const [certificate, ...others] = readPem(text)
  if (others.length > 0)
    throw new CertificateProblem(`holds ${others.length + 1} certificates. Put each into an entry of its own`)
  return certificate!
}
