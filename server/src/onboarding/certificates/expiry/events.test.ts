import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type CertificateDevice,
  enrol,
  makeCertificateDevice,
} from '../../../../test/harness/certificate-device.ts'
import { runAllJobs } from '../../../../test/harness/due-jobs.ts'
import { makeGroup, type TestGroup } from '../../../../test/harness/enrollment-group.ts'
import { type Platform, startPlatform } from '../../../../test/harness/platform.ts'
import { startWebhookReceiver } from '../../../../test/harness/webhook-receiver.ts'
import { providerTasks } from '../../../providers/tasks.ts'
import { announceExpiring } from './announce-expiring.ts'

let platform: Platform
let group: TestGroup
let receiver: Awaited<ReturnType<typeof startReceiver>>
const webhooks = '/v1/providers/mqtt/webhooks'
beforeAll(async () => {
  platform = await startPlatform()
  group = await makeGroup(platform)
  receiver = await startReceiver()
  const events = ['certificate.expiring', 'certificate.revoked']
  const { status, body } = await platform.post(webhooks, { url: receiver.url, secret: 's', events })
  expect([status, body.events]).toEqual([201, events])
})
beforeEach(() => void receiver.received.splice(0))
afterAll(async () => {
  await receiver[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

const startReceiver = () => startWebhookReceiver((body) => JSON.parse(body) as Record<string, unknown>)
const deliver = () => runAllJobs(platform.ctx, providerTasks(platform.ctx))
/** @param left the part of its life that is left to a certificate of 60 days */
const age = ({ row }: CertificateDevice, left: number) =>
  sql`update device_certificates set not_before = now() - make_interval(secs => ${(1 - left) * 60 * 86_400}),
    not_after = now() + make_interval(secs => ${left * 60 * 86_400}) where id = ${row.id}`.execute(
    platform.ctx.db,
  )
let made = 0
const makeDevice = () => makeCertificateDevice(platform.ctx, group, `ageing-${++made}`)

test('certificate.expiring is sent once, when a sixth of the life is left [docs/certificates#events]', async () => {
  const [young, old] = [await makeDevice(), await makeDevice()]
  await age(young, 0.17)
  await age(old, 0.16)
  for (let round = 0; round < 2; round++) await announceExpiring(platform.ctx)
  await deliver()
  expect(receiver.received).toEqual([
    {
      id: expect.any(String),
      event: 'certificate.expiring',
      device_id: old.id,
      occurred_at: expect.any(String),
      certificate: {
        id: old.row.id,
        enrollment_group_id: group.groupId,
        serial_number: old.row.serial_number,
        fingerprint: old.row.fingerprint.toString('hex'),
        not_after: expect.any(String),
        revocation_reason: null,
      },
    },
  ])
})

test('it is not sent for a certificate that is renewed, superseded, revoked or expired', async () => {
  const [renewed, superseded, revoked, expired] = [
    await makeDevice(),
    await makeDevice(),
    await makeDevice(),
    await makeDevice(),
  ]
  for (const device of [renewed, superseded, revoked]) await age(device, 0.1)
  await age(expired, -0.1)
  await enrol(platform.ctx, { groupId: group.groupId, deviceId: renewed.id })
  await sql`update device_certificates set superseded_at = now() where id = ${superseded.row.id}`.execute(
    platform.ctx.db,
  )
  await sql`update device_certificates set revoked_at = now() where id = ${revoked.row.id}`.execute(
    platform.ctx.db,
  )
  await announceExpiring(platform.ctx)
  await deliver()
  expect(receiver.received).toEqual([])
})

test('many that expire at the same time are announced in pages', async () => {
  const device = await makeDevice()
  await sql`
    insert into device_certificates (id, tenant_id, device_id, authority_id, serial_number, fingerprint,
      public_key_fingerprint, certificate, tier, not_before, not_after)
    select gen_random_uuid(), 'default', 'absent-' || number, ${device.row.authority_id}, 'ff' || number,
      sha256(number::text::bytea), '', '', 1, now() - interval '59 days', now() + interval '1 day'
    from generate_series(1, 1200) as number`.execute(platform.ctx.db)
  await announceExpiring(platform.ctx)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from device_certificates
    where device_id like 'absent-%' and expiry_announced_at is not null`.execute(platform.ctx.db)
  expect(rows[0]!.count).toBe(1200)
  await deliver()
  expect(receiver.received).toEqual([])
})

test('certificate.revoked is sent for each revoked certificate, with its reason', async () => {
  const device = await makeDevice()
  const path = `/api/enrollment-groups/${group.groupId}/devices/${device.id}/certificates/revoke`
  await platform.post(path, { reason: 'key_compromise' })
  await platform.post(path)
  await deliver()
  expect(receiver.received).toMatchObject([
    {
      event: 'certificate.revoked',
      device_id: device.id,
      certificate: { id: device.row.id, revocation_reason: 'key_compromise' },
    },
  ])
})

test('a webhook without `events` receives device.deleted alone, and this one does not', async () => {
  await using usual = await startReceiver()
  const { body } = await platform.post(webhooks, { url: usual.url, secret: 's' })
  expect(body.events).toEqual(['device.deleted'])
  const device = await makeDevice()
  await platform.delete(`/v1/providers/mqtt/clients/${device.id}`)
  await deliver()
  expect(usual.received.map(({ event }) => event)).toEqual(['device.deleted'])
  expect(receiver.received.map(({ event }) => event)).toEqual(['certificate.revoked'])
  for (const events of [[], ['device.created'], ['device.deleted', 'device.deleted']])
    expect((await platform.post(webhooks, { url: usual.url, secret: 's', events })).status).toBe(400)
})
