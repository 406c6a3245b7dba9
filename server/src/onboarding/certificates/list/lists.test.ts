import { X509Certificate } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type CertificateDevice,
  enrol,
  makeCertificateDevice,
} from '../../../../test/harness/certificate-device.ts'
import { makeGroup, type TestGroup } from '../../../../test/harness/enrollment-group.ts'
import { type Platform, startPlatform } from '../../../../test/harness/platform.ts'
import { makeUser, relate } from '../../../../test/harness/users.ts'
import { certificateStates } from './states.ts'

let platform: Platform
let group: TestGroup
/** In each state one, by state. */
let byState: Record<string, CertificateDevice>
beforeAll(async () => {
  platform = await startPlatform()
  group = await makeGroup(platform)
  const make = async (state: string, set?: ReturnType<typeof sql>) => {
    const device = await makeCertificateDevice(platform.ctx, group, state)
    if (set) await update(device, set)
    return [state, device] as const
  }
  byState = Object.fromEntries([
    await make('issued'),
    await make('active', sql`connected_at = now()`),
    await make('superseded', sql`connected_at = now(), superseded_at = now()`),
    await make(
      'expired',
      sql`connected_at = now(), superseded_at = now(), not_after = now() - interval '1 day'`,
    ),
    await make('revoked', sql`revoked_at = now(), not_after = now() - interval '1 day'`),
  ])
})
afterAll(() => platform[Symbol.asyncDispose]())

const update = (device: CertificateDevice, set: ReturnType<typeof sql>) =>
  sql`update device_certificates set ${set} where id = ${device.row.id}`.execute(platform.ctx.db)
const ids = (items: { deviceId: string }[]) => items.map(({ deviceId }) => deviceId)

describe('states [docs/certificates#states]', () => {
  test('each certificate has one, and the list is limited to it', async () => {
    for (const state of certificateStates) {
      const { body } = await platform.get(`/v1/certificates?state=${state}`)
      expect(body).toMatchObject([{ deviceId: state, state }])
    }
  })

  test('a certificate of a revoked authority is revoked', async () => {
    const { token } = await platform.makeTenant('states')
    const theirs = await makeGroup(platform, { token })
    await theirs.add('pump')
    const { row } = await enrol(platform.ctx, {
      tenantId: 'states',
      groupId: theirs.groupId,
      deviceId: 'pump',
    })
    await sql`update certificate_authorities set status = 'revoked' where id = ${row.authority_id}`.execute(
      platform.ctx.db,
    )
    expect((await platform.get('/v1/certificates', { token })).body).toMatchObject([{ state: 'revoked' }])
  })
})

describe('lists [docs/certificates#lists]', () => {
  test('the certificates of a device, the newest first, in pages', async () => {
    const first = await makeCertificateDevice(platform.ctx, group, 'with-three')
    const others = [first]
    for (let round = 0; round < 2; round++)
      others.unshift(await enrol(platform.ctx, { groupId: group.groupId, deviceId: first.id }))
    const path = `/api/enrollment-groups/${group.groupId}/devices/${first.id}/certificates`
    const page = (await platform.get(`${path}?limit=2`)).body
    expect(page.items.map((item: { id: string }) => item.id)).toEqual([others[0]!.row.id, others[1]!.row.id])
    const rest = (await platform.get(`${path}?limit=2&cursor=${page.continuation_token}`)).body
    expect(rest).toMatchObject({ items: [{ id: first.row.id }], continuation_token: null })
    expect(rest.items[0]).toEqual({
      id: first.row.id,
      device_id: 'with-three',
      enrollment_group_id: group.groupId,
      authority_id: first.row.authority_id,
      state: 'issued',
      serial_number: first.row.serial_number,
      fingerprint: first.row.fingerprint.toString('hex'),
      tier: 1,
      not_before: first.row.not_before.toISOString(),
      not_after: first.row.not_after.toISOString(),
      issued_at: first.row.issued_at.toISOString(),
      connected_at: null,
      superseded_at: null,
      revoked_at: null,
      revocation_reason: null,
    })
    const removal = `/api/enrollment-groups/${group.groupId}/devices/${first.id}`
    await platform.delete(removal)
    expect((await platform.get(path)).body.items).toHaveLength(3)
  })

  test('of the tenant, by time and device, in pages', async () => {
    const soon = new Date(Date.now() + 24 * 3600 * 1000).toISOString()
    const { body: ending } = await platform.get(`/v1/certificates?expiresBefore=${soon}`)
    expect(ids(ending).toSorted()).toEqual(['expired', 'revoked'])
    const { body: own } = await platform.get('/v1/certificates?deviceId=active')
    expect(own).toMatchObject([{ id: byState.active!.row.id, enrollmentGroupId: group.groupId }])
    const seen: string[] = []
    for (let next: string | undefined = '/v1/certificates?limit=3'; next;) {
      const answer = await platform.get(next)
      seen.push(...ids(answer.body))
      next = /<(.+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
    }
    expect(seen).toEqual(ids((await platform.get('/v1/certificates')).body))
    expect(seen.length).toBeGreaterThanOrEqual(5)
    for (const bad of ['state=lost', 'expiresBefore=soon', 'deviceId=a/b', 'cursor=x', 'before=now'])
      expect((await platform.get(`/v1/certificates?${bad}`)).status).toBe(400)
  })

  test('one certificate, also in PEM', async () => {
    const { row } = byState.active!
    const path = `/v1/certificates/${row.id}`
    expect((await platform.get(path)).body).toMatchObject({ id: row.id, deviceId: 'active', state: 'active' })
    const { headers, body } = await platform.get(`${path}/pem`)
    expect(headers.get('content-type')).toContain('application/x-pem-file')
    expect(new X509Certificate(body).raw).toEqual(row.certificate)
    expect((await platform.get(`/v1/certificates/${group.groupId}/pem`)).status).toBe(404)
  })

  test('show what a member may see, and nothing of another tenant', async () => {
    const { token } = await platform.makeTenant('lists')
    const member = await makeUser(platform)
    for (const reader of [token, member.token]) {
      expect((await platform.get('/v1/certificates', { token: reader })).body).toEqual([])
      const { row } = byState.active!
      for (const path of [`/v1/certificates/${row.id}`, `/v1/certificates/${row.id}/pem`])
        expect((await platform.get(path, { token: reader })).status).toBe(404)
    }
    await relate(platform, `${member.id} viewer provider_client:active`)
    expect(ids((await platform.get('/v1/certificates', member)).body)).toEqual(['active'])
  })
})

test('the forecast counts certificates in use by the week in which they expire [docs/certificates#lists]', async () => {
  const { token } = await platform.makeTenant('forecast')
  const theirs = await makeGroup(platform, { token })
  for (const [deviceId, days] of [
    ['a', 1],
    ['b', 15],
    ['c', 15],
    ['revoked', 15],
    ['far', 400],
  ] as const) {
    await theirs.add(deviceId)
    const tenant = { tenantId: 'forecast', groupId: theirs.groupId }
    const device = await enrol(platform.ctx, { ...tenant, deviceId, validityDays: days })
    if (deviceId === 'revoked') await update(device, sql`revoked_at = now()`)
  }
  const { body } = await platform.get('/v1/certificates/forecast?weeks=4', { token })
  expect(body).toHaveLength(4)
  const expected = [1, 15].map((days) => Date.now() + days * 24 * 3600 * 1000)
  for (const week of body) {
    const [from, to] = [Date.parse(week.from), Date.parse(week.to)]
    expect([new Date(from).getUTCDay(), to - from]).toEqual([1, 7 * 24 * 3600 * 1000])
    const ends = [expected[0]!, expected[1]!, expected[1]!]
    expect(week.expiring).toBe(ends.filter((end) => end >= from && end < to).length)
  }
  const whole = (await platform.get('/v1/certificates/forecast?weeks=520', { token })).body
  expect(whole.reduce((sum: number, { expiring }: { expiring: number }) => sum + expiring, 0)).toBe(4)
  expect((await platform.get('/v1/certificates/forecast?weeks=0', { token })).status).toBe(400)
})
