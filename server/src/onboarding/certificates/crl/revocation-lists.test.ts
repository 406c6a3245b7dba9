import 'reflect-metadata'
import { X509Certificate, X509Crl } from '@peculiar/x509'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CertificateDevice, enrol } from '../../../../test/harness/certificate-device.ts'
import { makeGroup, type TestGroup } from '../../../../test/harness/enrollment-group.ts'
import { type Platform, startPlatform } from '../../../../test/harness/platform.ts'

let platform: Platform
let group: TestGroup
beforeAll(async () => {
  platform = await startPlatform()
  group = await makeGroup(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

const path = '/.well-known/pki/default/crl'
const DAY_MS = 24 * 3600 * 1000

/** Without a token, as clients fetch it. */
async function fetchList(url = path, headers: Record<string, string> = {}) {
  const response = await fetch(platform.url + url, { headers })
  const bytes = Buffer.from(await response.arrayBuffer())
  const isList = response.headers.get('content-type') === 'application/pkix-crl'
  const { status, headers: received } = response
  return { status, headers: received, text: bytes.toString(), crl: isList ? new X509Crl(bytes) : undefined }
}
const readNumber = (crl: X509Crl | undefined) =>
  Buffer.from(crl!.getExtension('2.5.29.20')!.value)
    .toString('hex')
    .replace(/^02..(00)?/, '')
const serials = (crl: X509Crl | undefined) => crl!.entries.map(({ serialNumber }) => serialNumber)
const getAuthority = (where: object) =>
  platform.ctx.db
    .selectFrom('certificate_authorities')
    .selectAll()
    .where((eb) => eb.and(where as never))
    .executeTakeFirstOrThrow()
const revoke = ({ id, row }: CertificateDevice, reason?: string) =>
  platform.post(`/api/enrollment-groups/${group.groupId}/devices/${id}/certificates/revoke`, {
    certificate_id: row.id,
    reason,
  })
const enrolDevice = (deviceId: string) => enrol(platform.ctx, { groupId: group.groupId, deviceId })

test('a tenant without authorities, and one that does not exist, have no list', async () => {
  expect((await fetchList()).status).toBe(404)
  // Nobody learns which tenants there are.
  const { status, text } = await fetchList('/.well-known/pki/nowhere/crl')
  expect([status, text]).toEqual([404, (await fetchList()).text])
  expect((await fetchList(`${path}?authority=nonsense`)).status).toBe(400)
})

test('the list is signed by the authority and grows with each revocation [docs/certificates#revocation-list]', async () => {
  const [first, second] = [await enrolDevice('first'), await enrolDevice('second')]
  const empty = await fetchList()
  expect(empty.status).toBe(200)
  expect(serials(empty.crl)).toEqual([])
  await revoke(first, 'key_compromise')
  const one = await fetchList()
  expect(serials(one.crl)).toEqual([first.row.serial_number])
  expect(one.crl!.entries[0]!.reason).toBe(1)
  expect(Math.abs(one.crl!.entries[0]!.revocationDate.getTime() - Date.now())).toBeLessThan(60_000)
  await revoke(second)
  const two = await fetchList()
  expect(serials(two.crl)).toEqual([first.row.serial_number, second.row.serial_number])
  expect([empty, one, two].map(({ crl }) => readNumber(crl))).toEqual(['01', '02', '03'])

  const authority = await getAuthority({ tenant_id: 'default', kind: 'issuing' })
  const issuer = new X509Certificate(authority.certificate)
  expect(two.crl!.issuer).toBe(issuer.subject)
  expect(await two.crl!.verify({ publicKey: issuer.publicKey })).toBe(true)
  expect(two.crl!.nextUpdate!.getTime() - two.crl!.thisUpdate.getTime()).toBe(7 * DAY_MS)
})

test('a list that nothing outdated is served again, and a cache can validate it', async () => {
  const [one, other] = [await fetchList(), await fetchList()]
  expect(readNumber(other.crl)).toBe(readNumber(one.crl))
  const etag = one.headers.get('etag')!
  expect(one.headers.get('cache-control')).toBe('public, max-age=300')
  expect(one.headers.get('expires')).toBe(one.crl!.nextUpdate!.toUTCString())
  const cached = await fetchList(path, { 'if-none-match': etag })
  expect([cached.status, cached.headers.get('etag')]).toEqual([304, etag])
  await revoke(await enrolDevice('third'))
  expect((await fetchList(path, { 'if-none-match': etag })).status).toBe(200)
})

test('many that request an outdated list at the same time get the same one', async () => {
  const before = Number(`0x${readNumber((await fetchList()).crl)}`)
  await revoke(await enrolDevice('fourth'))
  const lists = await Promise.all(Array.from({ length: 30 }, () => fetchList()))
  expect(new Set(lists.map(({ crl }) => Number(`0x${readNumber(crl)}`)))).toEqual(new Set([before + 1]))
})

test('the address in a certificate leads to the list of its authority', async () => {
  const device = await enrolDevice('addressed')
  const text = new X509Certificate(device.row.certificate).getExtension('2.5.29.31')!.value
  const [url] = /http:[ -~]+/.exec(Buffer.from(text).toString('latin1'))!
  expect(url.startsWith(platform.url)).toBe(true)
  const { crl } = await fetchList(url.slice(platform.url.length))
  expect(crl!.issuer).toBe(new X509Certificate(device.row.certificate).issuer)
})

test('an expired certificate falls out of the list, after it was on one beyond its end', async () => {
  const [gone, recent] = [await enrolDevice('gone'), await enrolDevice('recent')]
  for (const device of [gone, recent]) await revoke(device)
  const expire = (device: CertificateDevice, days: number) =>
    sql`update device_certificates set not_after = now() - make_interval(days => ${days}) where id = ${device.row.id}`.execute(
      platform.ctx.db,
    )
  await expire(gone, 8)
  await expire(recent, 6)
  await revoke(await enrolDevice('another'))
  const listed = serials((await fetchList()).crl)
  expect(listed).toContain(recent.row.serial_number)
  expect(listed).not.toContain(gone.row.serial_number)
})

test('a list is made again before it ends', async () => {
  const { crl } = await fetchList()
  await sql`update certificate_authorities set crl_made_at = crl_made_at - interval '4 days',
    crl_next_update = crl_next_update - interval '4 days' where tenant_id = 'default'`.execute(
    platform.ctx.db,
  )
  const fresh = await fetchList()
  expect(Number(`0x${readNumber(fresh.crl)}`)).toBe(Number(`0x${readNumber(crl)}`) + 1)
})

test('a retired authority has its own list, and that of the root names revoked authorities', async () => {
  const device = await enrolDevice('of-the-former')
  const former = await getAuthority({ tenant_id: 'default', kind: 'issuing' })
  const root = await getAuthority({ tenant_id: 'default', kind: 'root' })
  expect(serials((await fetchList(`${path}?authority=${root.id}`)).crl)).toEqual([])
  await sql`update certificate_authorities set status = 'retired' where id = ${former.id}`.execute(
    platform.ctx.db,
  )
  const successor = await enrolDevice('of-the-successor')
  expect(successor.row.authority_id).not.toBe(former.id)
  await revoke(device)
  expect(serials((await fetchList()).crl)).toEqual([])
  const ofFormer = await fetchList(`${path}?authority=${former.id}`)
  expect(serials(ofFormer.crl)).toContain(device.row.serial_number)
  expect(ofFormer.crl!.issuer).toBe(new X509Certificate(former.certificate).subject)

  expect((await platform.post(`/v1/certificate-authorities/${former.id}/revoke`, {})).status).toBe(200)
  const { crl } = await fetchList(`${path}?authority=${root.id}`)
  expect(serials(crl)).toEqual([new X509Certificate(former.certificate).serialNumber])
  expect(crl!.entries[0]!.reason).toBe(2)
  expect(await crl!.verify({ publicKey: new X509Certificate(root.certificate).publicKey })).toBe(true)
  // An authority of another tenant is none of this one.
  await platform.makeTenant('neighbour')
  expect((await fetchList(`/.well-known/pki/neighbour/crl?authority=${root.id}`)).status).toBe(404)
})
