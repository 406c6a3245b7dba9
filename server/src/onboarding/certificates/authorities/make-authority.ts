/** Makes the built-in authorities of a tenant: a root, and issuing authorities below it. */
import { generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Insertable } from 'kysely'
import type { CertificateTables } from '../../../database/tables/certificates.ts'
import { newId } from '../../../lib/ids.ts'
import type { Sealer } from '../../../lib/seal.ts'
import {
  authorityConstraints,
  authorityKeyIdentifier,
  authorityKeyUsage,
  buildCertificate,
  makeName,
  makeSerialNumber,
  subjectKeyIdentifier,
} from '../issue/build-certificate.ts'
import { createSigner } from '../key-algorithms.ts'
import { type Authority, authorityKeyPlace } from './authority.ts'

type NewAuthority = Insertable<CertificateTables['certificate_authorities']>

const generate = promisify(generateKeyPair)
const DAY_MS = 24 * 3600 * 1000
const ROOT_DAYS = 20 * 365
const ISSUING_DAYS = 10 * 365
/** The clocks of devices may be slow. */
const BACK_DATED_MS = DAY_MS

interface Maker {
  tenantId: string
  sealer: Sealer
}

export async function makeRoot({ tenantId, sealer }: Maker): Promise<NewAuthority> {
  const keys = await makeKeys()
  const id = newId()
  const subject = nameAuthority('Root CA', tenantId, id)
  const validity = validFor(ROOT_DAYS)
  const certificate = await buildCertificate(
    {
      ...validity,
      serialNumber: makeSerialNumber(),
      issuer: makeName(subject),
      subject: makeName(subject),
      publicKey: keys.publicKey,
      extensions: [authorityConstraints(1), authorityKeyUsage(), subjectKeyIdentifier(keys.publicKey)],
    },
    createSigner(keys.privateKey),
  )
  return describe({ id, tenantId, kind: 'root', subject, certificate, keys, validity, sealer })
}

/** @param root its key signs; the new authority does not outlive it */
export async function makeIssuing({ tenantId, sealer }: Maker, root: Authority): Promise<NewAuthority> {
  const keys = await makeKeys()
  const id = newId()
  const subject = nameAuthority('Issuing CA', tenantId, id)
  const validity = validFor(ISSUING_DAYS, root.notAfter)
  const certificate = await buildCertificate(
    {
      ...validity,
      serialNumber: makeSerialNumber(),
      issuer: root.name,
      subject: makeName(subject),
      publicKey: keys.publicKey,
      extensions: [
        authorityConstraints(0),
        authorityKeyUsage(),
        subjectKeyIdentifier(keys.publicKey),
        authorityKeyIdentifier(root.keyIdentifier),
      ],
    },
    root.signer,
  )
  const chain = [root.certificate]
  return {
    ...describe({ id, tenantId, kind: 'issuing', subject, certificate, keys, validity, sealer }),
    chain,
  }
}

/** The end of the id tells authorities of a tenant apart. */
const nameAuthority = (role: string, tenantId: string, id: string) => ({
  commonName: `Gangway ${role} ${id.slice(-6)}`,
  organizationalUnit: tenantId,
})

interface Keys {
  privateKey: KeyObject
  /** SubjectPublicKeyInfo, DER. */
  publicKey: Buffer
}

async function makeKeys(): Promise<Keys> {
  const { privateKey, publicKey } = await generate('ec', { namedCurve: 'P-256' })
  return { privateKey, publicKey: publicKey.export({ type: 'spki', format: 'der' }) }
}

function validFor(days: number, latest = new Date(8.64e15)) {
  const now = Math.floor(Date.now() / 1000) * 1000
  return {
    notBefore: new Date(now - BACK_DATED_MS),
    notAfter: new Date(Math.min(now + days * DAY_MS, latest.getTime())),
  }
}

interface Made {
  id: string
  tenantId: string
  kind: 'root' | 'issuing'
  subject: ReturnType<typeof nameAuthority>
  certificate: Buffer
  keys: Keys
  validity: { notBefore: Date; notAfter: Date }
  sealer: Sealer
}

const describe = ({ id, tenantId, kind, subject, certificate, keys, validity, sealer }: Made) => ({
  id,
  tenant_id: tenantId,
  kind,
  subject: `CN=${subject.commonName}, OU=${subject.organizationalUnit}`,
  certificate,
  key_sealed: sealer.seal(
    keys.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    authorityKeyPlace(id),
  ),
  not_before: validity.notBefore,
  not_after: validity.notAfter,
})
