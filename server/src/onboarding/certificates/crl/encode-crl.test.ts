import 'reflect-metadata'
import { spawnSync } from 'node:child_process'
import { createPrivateKey, webcrypto } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as x509 from '@peculiar/x509'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readDer } from '../../../lib/der/read-der.ts'
import { tagged } from '../../../lib/der/write-der.ts'
import { createSigner } from '../key-algorithms.ts'
import { oids } from '../object-identifiers.ts'
import { readCertificateParts } from '../read-certificate.ts'
import { reasonCodes, revocationReasons } from '../revocation/reasons.ts'
import { encodeCrl, type RevokedCertificate } from './encode-crl.ts'

let directory: string
beforeAll(() => void (directory = mkdtempSync(join(tmpdir(), 'gangway-crl-'))))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const thisUpdate = new Date('2026-11-22T20:00:00.999Z')
const nextUpdate = new Date('2026-11-29T20:00:00Z')

async function makeIssuer(kind: 'ec' | 'rsa') {
  const algorithm =
    kind === 'ec'
      ? { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
      : {
          name: 'RSASSA-PKCS1-v1_5',
          modulusLength: 2048,
          publicExponent: new Uint8Array([1, 0, 1]),
          hash: 'SHA-256',
        }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Issuing CA \u00fc, OU=default',
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  const parts = readCertificateParts(Buffer.from(certificate.rawData))
  return {
    certificate: Buffer.from(certificate.rawData),
    name: parts.subject,
    keyIdentifier: readDer(parts.extensions.get(oids.subjectKeyIdentifier)!.value).content,
    signer: createSigner(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })),
  }
}

const isOpensslMissing = spawnSync('openssl', ['version']).status !== 0
if (isOpensslMissing) console.warn('CRLs are not read by openssl, because it is not installed.')

/** Verifies the signature of a list with openssl. @returns the text that openssl shows of it */
function readWithOpenssl(crl: Buffer, issuer: Buffer): string {
  const [crlFile, issuerFile] = [join(directory, 'list.crl'), join(directory, 'issuer.pem')]
  writeFileSync(crlFile, crl)
  writeFileSync(issuerFile, new x509.X509Certificate(issuer).toString('pem'))
  const options = ['crl', '-inform', 'DER', '-in', crlFile, '-noout', '-text', '-CAfile', issuerFile]
  const { stdout, stderr } = spawnSync('openssl', options, { encoding: 'utf8', maxBuffer: 2 ** 26 })
  expect(stderr).toContain('verify OK')
  return stdout
}

const revoked: RevokedCertificate[] = [
  { serialNumber: '80ff', revokedAt: new Date('2026-11-01T00:00:00Z'), reason: 'key_compromise' },
  { serialNumber: '0a', revokedAt: new Date('2051-01-02T03:04:05Z'), reason: 'unspecified' },
]

describe.each(['ec', 'rsa'] as const)('a list signed with a key of type %s', (kind) => {
  test.skipIf(isOpensslMissing)('is read and verified by openssl', async () => {
    const issuer = await makeIssuer(kind)
    const crl = await encodeCrl(issuer, { number: 258, thisUpdate, nextUpdate, revoked })
    const text = readWithOpenssl(crl, issuer.certificate)
    expect(text).toContain('Version 2 (0x1)')
    expect(text).toContain('Last Update: Nov 22 20:00:00 2026 GMT')
    expect(text).toContain('Next Update: Nov 29 20:00:00 2026 GMT')
    expect(text).toMatch(/X509v3 CRL Number:\s+(258|0x0?102)/)
    expect(text).toMatch(/Serial Number: 80FF\s+Revocation Date: Nov {2}1 00:00:00 2026 GMT/)
    expect(text).toMatch(/Serial Number: 0A\s+Revocation Date: Jan {2}2 03:04:05 2051 GMT/)
    expect(text.match(/Key Compromise/g)).toHaveLength(1)
    expect(text).not.toContain('Unspecified')
  })

  test('names the issuer by the same bytes as its certificate', async () => {
    const issuer = await makeIssuer(kind)
    const crl = new x509.X509Crl(await encodeCrl(issuer, { number: 1, thisUpdate, nextUpdate, revoked: [] }))
    const certificate = new x509.X509Certificate(issuer.certificate)
    expect(crl.issuer).toBe(certificate.subject)
    expect(await crl.verify({ publicKey: certificate.publicKey })).toBe(true)
    expect(crl.entries).toEqual([])
  })
})

test('each reason has its code in the list', async () => {
  const issuer = await makeIssuer('ec')
  const all = revocationReasons.map((reason, index) => ({
    serialNumber: (index + 1).toString(16),
    revokedAt: thisUpdate,
    reason,
  }))
  const crl = new x509.X509Crl(await encodeCrl(issuer, { number: 1, thisUpdate, nextUpdate, revoked: all }))
  expect(crl.entries.map(({ reason }) => reason ?? 0)).toEqual(Object.values(reasonCodes))
})

test.skipIf(isOpensslMissing)('a list of 20,000 certificates is read by openssl', async () => {
  const issuer = await makeIssuer('ec')
  const many = Array.from({ length: 20_000 }, (_, index) => ({
    serialNumber: (index + 1).toString(16).padStart(32, '7'),
    revokedAt: thisUpdate,
    reason: 'superseded' as const,
  }))
  const crl = await encodeCrl(issuer, { number: 1, thisUpdate, nextUpdate, revoked: many })
  expect(readWithOpenssl(crl, issuer.certificate).match(/Serial Number/g)).toHaveLength(20_000)
})

test('a list of 100,000 entries is one value, also where its length takes four bytes', async () => {
  const issuer = await makeIssuer('ec')
  const many = Array.from({ length: 100_000 }, (_, index) => ({
    serialNumber: index.toString(16).padStart(32, '1'),
    revokedAt: thisUpdate,
    reason: 'key_compromise' as const,
  }))
  const list = await encodeCrl(issuer, { number: 1, thisUpdate, nextUpdate, revoked: many })
  expect(readDer(list).bytes.length).toBe(list.length)
  expect(list.length).toBeGreaterThan(100_000 * 40)
  expect(tagged(0x04, Buffer.alloc(2 ** 24)).subarray(0, 6)).toEqual(Buffer.of(0x04, 0x84, 1, 0, 0, 0))
})
