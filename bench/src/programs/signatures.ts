/** Measures the cryptography of an enrolment alone, without transport and database. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { Authority } from '@gangway/server/dist/onboarding/certificates/authorities/authority.js'
import { makeName } from '@gangway/server/dist/onboarding/certificates/issue/build-certificate.js'
import {
  type CertificateOrder,
  signDeviceCertificate,
} from '@gangway/server/dist/onboarding/certificates/issue/sign-device-certificate.js'
import {
  createSigner,
  makeKeyIdentifier,
} from '@gangway/server/dist/onboarding/certificates/key-algorithms.js'
import { readCertificateRequest } from '@gangway/server/dist/onboarding/certificates/request/read-request.js'
import { makeCertificateRequest } from '../platform/certificate-request.ts'
import { ignoreInterrupt, serve } from './serve.ts'

/** About the size of what an authority signs for a device. */
const SIGNED_BYTES = 500
/** Signatures are made outside of the event loop; a batch of the server has so many. */
const AT_ONCE = 50
const ID = '01900000-0000-7000-8000-000000000000'
const CRL_URL = `http://127.0.0.1:8080/.well-known/pki/default/crl?authority=${ID}`
const YEAR_MS = 365 * 24 * 3600 * 1000

const handlers = {
  /** @returns signatures a second of one thread */
  async signBare(seconds: number) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const data = randomBytes(SIGNED_BYTES)
    const startedMs = performance.now()
    let count = 0
    for (; performance.now() - startedMs < seconds * 1000; count++) sign('sha256', data, privateKey)
    return count / ((performance.now() - startedMs) / 1000)
  },

  /** @returns certificates a second, with their DER */
  async signCertificates(seconds: number) {
    const [authority, { publicKey }] = [
      makeAuthority(),
      await readCertificateRequest(makeCertificateRequest()),
    ]
    return repeat(seconds, AT_ONCE, () => signDeviceCertificate(authority, orderFor(publicKey), CRL_URL))
  },

  /** @returns requests a second that are read, verified and answered with a certificate */
  async verifyAndSign(seconds: number) {
    const [authority, request] = [makeAuthority(), makeCertificateRequest()]
    return repeat(seconds, AT_ONCE, async () => {
      const { publicKey } = await readCertificateRequest(request)
      await signDeviceCertificate(authority, orderFor(publicKey), CRL_URL)
    })
  },
}

export type SignaturesProgram = typeof handlers

/** @returns how often a second the work was done */
async function repeat(seconds: number, lanes: number, work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  let count = 0
  const inLane = async () => {
    for (; performance.now() - startedMs < seconds * 1000; count++) await work()
  }
  await Promise.all(Array.from({ length: lanes }, inLane))
  return count / ((performance.now() - startedMs) / 1000)
}

function makeAuthority(): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    id: ID,
    tenantId: 'default',
    certificate: Buffer.alloc(0),
    chain: [],
    name: makeName({ commonName: 'Gangway issuing CA 1', organizationalUnit: 'default' }),
    keyIdentifier: makeKeyIdentifier(publicKey.export({ type: 'spki', format: 'der' })),
    notAfter: new Date(Date.now() + YEAR_MS),
    signer: createSigner(privateKey),
  }
}

const orderFor = (publicKey: Buffer): CertificateOrder => ({
  tenantId: 'default',
  groupId: ID,
  deviceId: 'bench-1',
  publicKey,
  requestFingerprint: null,
  tier: 1,
  validityDays: 90,
  keyId: null,
  presentedId: null,
})

ignoreInterrupt()
serve(handlers)
