/** Enrols devices by functions of the server: ten thousand requests for certificates would take minutes. */
import { generateKeyPairSync } from 'node:crypto'
import { ensureAuthorities } from '@gangway/server/dist/onboarding/certificates/authorities/ensure-authorities.js'
import { openAuthority } from '@gangway/server/dist/onboarding/certificates/authorities/authority.js'
import { signDeviceCertificate } from '@gangway/server/dist/onboarding/certificates/issue/sign-device-certificate.js'
import { toPem } from '@gangway/server/dist/onboarding/certificates/pem.js'
import { insertDevices } from './devices.ts'
import { bulkAdd, createEnrollmentGroup } from './onboarding.ts'
import type { Platform } from './start.ts'

const TENANT = 'default'
const PER_INSERT = 1000

export interface Enrolled {
  authorityId: string
  /** The private key of all devices, in PEM. */
  key: string
  devices: { id: string; certificate: string }[]
}

/** All devices have one key, because making keys is not what is measured. */
export async function enrolDevices(platform: Platform, count: number): Promise<Enrolled> {
  const ids = (await insertDevices(platform, count)).map(({ id }) => id)
  const group = await createEnrollmentGroup(platform)
  await bulkAdd(platform, group.id, ids)
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const authority = openAuthority(await ensureAuthorities(platform, TENANT), platform.sealer)
  const order = {
    tenantId: TENANT,
    groupId: group.id,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    requestFingerprint: null,
    tier: 1 as const,
    validityDays: 90,
    keyId: null,
    presentedId: null,
  }
  const crlUrl = `${platform.api().url}/.well-known/pki/${TENANT}/crl?authority=${authority.id}`
  const sign = (deviceId: string) => signDeviceCertificate(authority, { ...order, deviceId }, crlUrl)
  const rows = []
  for (const id of ids) rows.push(await sign(id))
  for (let at = 0; at < rows.length; at += PER_INSERT)
    await platform.db
      .insertInto('device_certificates')
      .values(rows.slice(at, at + PER_INSERT))
      .execute()
  return {
    authorityId: authority.id,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    devices: rows.map((row) => ({ id: row.device_id, certificate: toPem(row.certificate) })),
  }
}
