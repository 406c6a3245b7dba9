import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeGroup } from '../../../../test/harness/enrollment-group.ts'
import { type Platform, startPlatform } from '../../../../test/harness/platform.ts'
import { listAuthorities } from '../authorities/store.ts'
import { sha256 } from '../key-algorithms.ts'
import { findDeviceCertificate } from '../store.ts'
import { issueCertificate } from '../../../../test/harness/issue-certificate.ts'

let platform: Platform
let groupId: string
beforeAll(async () => {
  platform = await startPlatform()
  groupId = (await makeGroup(platform)).groupId
})
afterAll(() => platform[Symbol.asyncDispose]())

const DAY_MS = 24 * 3600 * 1000

function makeOrder(deviceId: string, fields: object = {}) {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    tenantId: 'default',
    groupId,
    deviceId,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    requestFingerprint: null,
    tier: 1 as const,
    validityDays: 90,
    ...fields,
  }
}

test('a certificate names the device and its tenant, is valid from yesterday, and chains to the root of the tenant', async () => {
  const order = makeOrder('pump-1')
  const row = await issueCertificate(platform.ctx, order)
  const certificate = new X509Certificate(row.certificate)
  expect(certificate.subject).toBe('CN=pump-1\nOU=default')
  expect(certificate.ca).toBe(false)
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2'])
  expect(certificate.serialNumber.toLowerCase()).toBe(row.serial_number)
  expect(row.serial_number).toMatch(/^[0-9a-f]{32}$/)
  expect(certificate.publicKey.export({ type: 'spki', format: 'der' })).toEqual(order.publicKey)
  expect(Date.now() - Date.parse(certificate.validFrom)).toBeGreaterThanOrEqual(DAY_MS)
  expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now() + 89 * DAY_MS)
  expect(certificate.toString()).toContain('BEGIN CERTIFICATE')

  const rows = await listAuthorities(platform.ctx.db, 'default')
  const [issuing, root] = rows.map((each) => new X509Certificate(each.certificate))
  expect(rows.map(({ kind }) => kind)).toEqual(['issuing', 'root'])
  expect(certificate.checkIssued(issuing!) && certificate.verify(issuing!.publicKey)).toBe(true)
  expect(issuing!.checkIssued(root!) && issuing!.verify(root!.publicKey)).toBe(true)
  expect(root!.verify(root!.publicKey)).toBe(true)
  expect([issuing!.ca, root!.ca]).toEqual([true, true])

  expect(await findDeviceCertificate(platform.ctx.db, sha256(row.certificate))).toMatchObject({
    device_id: 'pump-1',
    authority_status: 'active',
  })
  expect(await findDeviceCertificate(platform.ctx.db, sha256(order.publicKey))).toBeUndefined()
})

test('the authorities of a tenant are made once, however many certificates are issued at the same time', async () => {
  await platform.makeTenant('crowd')
  const orders = Array.from({ length: 20 }, (_, index) => makeOrder(`pump-${index}`, { tenantId: 'crowd' }))
  const rows = await Promise.all(orders.map((order) => issueCertificate(platform.ctx, order)))
  expect(new Set(rows.map((row) => row.authority_id)).size).toBe(1)
  expect(await listAuthorities(platform.ctx.db, 'crowd')).toHaveLength(2)
})
