import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type CertificateConnection,
  type CertificateDevice,
  connectWithCertificate,
  enrol,
  makeCertificateDevice,
} from '../../../test/harness/certificate-device.ts'
import { makeGroup, type TestGroup } from '../../../test/harness/enrollment-group.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { objectIdentifier, sequence, set as setOf, tagged, utf8String } from '../../lib/der/write-der.ts'
import {
  buildCertificate,
  leafConstraints,
  makeSerialNumber,
} from '../../onboarding/certificates/issue/build-certificate.ts'
import { createSigner } from '../../onboarding/certificates/key-algorithms.ts'
import { oids } from '../../onboarding/certificates/object-identifiers.ts'
import { toPem } from '../../onboarding/certificates/pem.ts'
import { type Mqtt, startMqtt } from '../start.ts'

let platform: Platform
let mqtt: Mqtt
let group: TestGroup
const connections: CertificateConnection[] = []
beforeAll(async () => {
  platform = await startPlatform()
  mqtt = await startMqtt(platform.ctx, platform.parts)
  group = await makeGroup(platform)
})
afterEach(() => {
  for (const { socket } of connections.splice(0)) socket.destroy()
})
afterAll(async () => {
  await mqtt[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

async function connect(...[device, options]: [CertificateDevice | undefined, object?]) {
  const connection = await connectWithCertificate(platform.ctx.endpoints.mqtts!, device, options)
  connections.push(connection)
  return connection
}
let made = 0
const makeDevice = () => makeCertificateDevice(platform.ctx, group, `sensor-${++made}`)
const update = (device: CertificateDevice, set: ReturnType<typeof sql>) =>
  sql`update device_certificates set ${set} where id = ${device.row.id}`.execute(platform.ctx.db)
const readCertificate = async ({ row }: CertificateDevice) =>
  platform.ctx.db
    .selectFrom('device_certificates')
    .selectAll()
    .where('id', '=', row.id)
    .executeTakeFirstOrThrow()
const readRefusal = async ({ id }: CertificateDevice) =>
  (await platform.get(`/v1/providers/mqtt/clients/${id}`)).body.connection.refusedReason

const accepted = 0
const badUserNameOrPassword = 0x86
const notAuthorized = 0x87

describe('a device with a certificate [docs/certificates#mqtt]', () => {
  test.each(['TLSv1.2', 'TLSv1.3'])('connects without user name and password over %s', async (maxVersion) => {
    const device = await makeDevice()
    const { code, socket } = await connect(device, { maxVersion })
    expect([code, socket.getProtocol()]).toEqual([accepted, maxVersion])
    expect(platform.ctx.liveSessions.list(device.id)).toMatchObject([{ signedInWith: 'certificate' }])
  })

  test('may send the user name that its certificate names, and no other', async () => {
    const device = await makeDevice()
    const other = await makeDevice()
    expect(await connect(device, { connect: { username: device.id } })).toMatchObject({ code: accepted })
    const refused = await connect(device, { connect: { username: other.id } })
    expect(refused).toMatchObject({
      code: badUserNameOrPassword,
      reason: `The user name is not ${device.id}, which the certificate names. Leave it empty, or send the same.`,
    })
    await expect.poll(() => readRefusal(device)).toBe('user_name_differs')
    expect(await readRefusal(other)).toBeNull()
  })

  test('is signed in by its password if it sends one', async () => {
    const device = await makeDevice()
    const password = { username: device.id, password: Buffer.from('wrong') }
    expect(await connect(device, { connect: password })).toMatchObject({
      code: badUserNameOrPassword,
      reason: 'The device id or key is wrong.',
    })
    const empty = { username: device.id, password: Buffer.alloc(0) }
    expect(await connect(device, { connect: empty })).toMatchObject({ code: accepted })
  })

  test('gets topics of its own in the answer, and may use no others', async () => {
    const device = await makeDevice()
    const other = await makeDevice()
    const will = (topic: string) => ({
      will: { topic, payload: Buffer.from('{}'), qos: 1 as const, retain: false },
    })
    expect(await connect(device, { connect: will(`devices/${device.id}/telemetry`) })).toMatchObject({
      code: accepted,
    })
    expect(await connect(device, { connect: will(`devices/${other.id}/telemetry`) })).toMatchObject({
      code: notAuthorized,
    })
  })

  test('devices without a certificate sign in with their key, also over TLS', async () => {
    const device = await makeDevice()
    const { body: keys } = await platform.get(`/v1/providers/mqtt/clients/${device.id}/credentials`)
    const password = { username: device.id, password: Buffer.from(keys.primaryKey) }
    expect(await connect(undefined, { connect: password })).toMatchObject({ code: accepted })
    expect(await connect(undefined)).toMatchObject({ code: badUserNameOrPassword })
    expect(await connect(undefined, { connect: { username: device.id } })).toMatchObject({
      code: badUserNameOrPassword,
    })
  })

  test('a rotation of the keys does not end its session', async () => {
    const device = await makeDevice()
    await connect(device)
    await platform.post(`/v1/providers/mqtt/clients/${device.id}/credentials/rotate`)
    await mqtt.gateway.reviewAll()
    expect(platform.ctx.liveSessions.list(device.id)).toHaveLength(1)
  })
})

describe('the first connection with a certificate', () => {
  test('is stored once, and ends the validity of the older certificates', async () => {
    const old = await makeDevice()
    await connect(old)
    const connectedAt = (await readCertificate(old)).connected_at
    expect(connectedAt).not.toBeNull()
    const renewed = await enrol(platform.ctx, { groupId: group.groupId, deviceId: old.id })
    // Until the new one has connected, the old one does.
    expect(await connect(old)).toMatchObject({ code: accepted })
    expect(await connect(renewed)).toMatchObject({ code: accepted })
    const refused = await connect(old)
    expect(refused).toMatchObject({ code: notAuthorized })
    expect(refused.reason).toMatch(/^A newer certificate of the device connected at /)
    await expect.poll(() => readRefusal(old)).toBe('certificate_superseded')
    expect((await readCertificate(old)).connected_at).toEqual(connectedAt)
    expect((await readCertificate(renewed)).superseded_at).toBeNull()
    expect(await connect(renewed)).toMatchObject({ code: accepted })
  })

  test('does not end sessions that began with an older certificate [docs/certificates#renewal]', async () => {
    const old = await makeDevice()
    await connect(old, { connect: { clientId: 'one' } })
    const renewed = await enrol(platform.ctx, { groupId: group.groupId, deviceId: old.id })
    await connect(renewed, { connect: { clientId: 'two' } })
    await mqtt.gateway.reviewAll()
    expect(platform.ctx.liveSessions.list(old.id)).toHaveLength(2)
  })

  test('of an older certificate leaves newer ones as they are', async () => {
    const old = await makeDevice()
    const renewed = await enrol(platform.ctx, { groupId: group.groupId, deviceId: old.id })
    expect(await connect(old)).toMatchObject({ code: accepted })
    expect((await readCertificate(renewed)).superseded_at).toBeNull()
    expect(await connect(renewed)).toMatchObject({ code: accepted })
  })

  test('of a disabled client is not one', async () => {
    const device = await makeDevice()
    await platform.patch(`/v1/providers/mqtt/clients/${device.id}`, { enabled: false })
    expect(await connect(device)).toMatchObject({ code: notAuthorized, reason: 'The client is disabled.' })
    expect((await readCertificate(device)).connected_at).toBeNull()
    await expect.poll(() => readRefusal(device)).toBe('client_disabled')
  })
})

describe('is refused with its reason', () => {
  const ago = (interval: string) => sql`now() - ${interval}::interval`
  test.each([
    [
      'revoked',
      sql`revoked_at = now(), revocation_reason = 'key_compromise'`,
      'certificate_revoked',
      /\(key_compromise\)\.$/,
    ],
    [
      'expired',
      sql`not_after = ${ago('1 second')}`,
      'certificate_expired',
      /^The certificate expired at .* Enrol again\.$/,
    ],
    [
      'not yet valid',
      sql`not_before = now() + interval '1 hour'`,
      'certificate_not_yet_valid',
      /^The certificate is valid from /,
    ],
    ['superseded', sql`superseded_at = now()`, 'certificate_superseded', /^A newer certificate /],
  ])('a certificate that is %s', async (_state, set, reason, message) => {
    const device = await makeDevice()
    await update(device, set)
    const refused = await connect(device)
    expect(refused).toMatchObject({ code: notAuthorized, reason: expect.stringMatching(message) })
    expect(await refused.ended).toEqual({ code: undefined, reason: undefined })
    await expect.poll(() => readRefusal(device)).toBe(reason)
    expect((await readCertificate(device)).connected_at).toBeNull()
  })

  test('one that expired a short time ago and may still renew', async () => {
    const renewing = await makeGroup(platform)
    await platform.ctx.db
      .insertInto('certificate_settings')
      .values({
        enrollment_group_id: renewing.groupId,
        tenant_id: 'default',
        enabled: true,
        minimum_tier: 1,
        manufacturer_cas: [],
        validity_days: 90,
        renewal_grace_days: 2,
      })
      .execute()
    const device = await makeCertificateDevice(platform.ctx, renewing, 'late')
    await update(device, sql`not_after = ${ago('47 hours')}`)
    const refused = await connect(device)
    expect(refused).toMatchObject({ code: notAuthorized })
    expect(refused.reason).toMatch(/It does not connect, and may renew until /)
    await expect.poll(() => readRefusal(device)).toBe('certificate_expired_may_renew')
    await update(device, sql`not_after = ${ago('49 hours')}`)
    expect((await connect(device)).reason).toMatch(/Enrol again\.$/)
    await expect.poll(() => readRefusal(device)).toBe('certificate_expired')
  })

  test('one of a revoked authority', async () => {
    const { token } = await platform.makeTenant('revoking')
    const there = await makeGroup(platform, { token })
    await there.add('gauge')
    await there.provision('gauge')
    const device = await enrol(platform.ctx, {
      groupId: there.groupId,
      deviceId: 'gauge',
      tenantId: 'revoking',
    })
    expect(await connect(device)).toMatchObject({ code: accepted })
    await sql`update certificate_authorities set status = 'revoked' where id = ${device.row.authority_id}`.execute(
      platform.ctx.db,
    )
    expect(await connect(device)).toMatchObject({
      code: notAuthorized,
      reason: 'The authority that issued the certificate was revoked. Enrol again.',
    })
  })

  test('one of a tenant that has no client with the id, where another tenant has one', async () => {
    const device = await makeDevice()
    const { token } = await platform.makeTenant('stranger')
    const there = await makeGroup(platform, { token })
    // The API refuses this, because the broker has a client of another tenant.
    await sql`insert into onboarding_devices (tenant_id, enrollment_group_id, device_id, status)
      values ('stranger', ${there.groupId}, ${device.id}, 'registered')`.execute(platform.ctx.db)
    const foreign = await enrol(platform.ctx, {
      groupId: there.groupId,
      deviceId: device.id,
      tenantId: 'stranger',
    })
    expect(await connect(foreign)).toMatchObject({
      code: notAuthorized,
      reason: `The client ${device.id} does not belong to the tenant of the certificate.`,
    })
    await expect.poll(() => readRefusal(device)).toBe('certificate_of_other_tenant')
    expect((await readCertificate(foreign)).connected_at).toBeNull()
  })

  test('one of a device that was removed from its group, and one without a client', async () => {
    const device = await makeDevice()
    await sql`update onboarding_devices set status = 'deleted' where device_id = ${device.id}`.execute(
      platform.ctx.db,
    )
    expect((await connect(device)).reason).toBe(
      `The device ${device.id} was removed from its enrollment group.`,
    )
    await group.add('never-provisioned')
    const waiting = await enrol(platform.ctx, { groupId: group.groupId, deviceId: 'never-provisioned' })
    expect(await connect(waiting)).toMatchObject({
      code: notAuthorized,
      reason: 'There is no client never-provisioned on this broker. Provision the device.',
    })
  })

  test('one that this platform did not issue, whatever it names', async () => {
    const device = await makeDevice()
    const forged = await enrol(platform.ctx, { groupId: group.groupId, deviceId: device.id })
    await sql`delete from device_certificates where id = ${forged.row.id}`.execute(platform.ctx.db)
    expect(await connect(forged)).toMatchObject({
      code: badUserNameOrPassword,
      reason: 'The certificate was not issued by this platform for a device. Enrol the device.',
    })
    await expect.poll(() => readRefusal(device)).toBe('unknown_certificate')
  })

  test.each([
    ['line breaks', utf8String('a\nCN=b\nOU=default')],
    ['a type that is no text', tagged(0x30)],
    ['90,000 characters', utf8String('x'.repeat(90_000))],
  ])('one with a name of %s, and the server goes on', async (_what, name) => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const subject = sequence(setOf(sequence(objectIdentifier(oids.commonName), name)))
    const certificate = await buildCertificate(
      {
        serialNumber: makeSerialNumber(),
        issuer: subject,
        subject,
        notBefore: new Date(0),
        notAfter: new Date('2040-01-01T00:00:00Z'),
        publicKey: publicKey.export({ type: 'spki', format: 'der' }),
        extensions: [leafConstraints()],
      },
      createSigner(privateKey),
    )
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    const refused = await connect({ id: 'x', row: undefined as never, key, cert: toPem(certificate) })
    expect([undefined, badUserNameOrPassword]).toContain(refused.code)
    expect(await connect(await makeDevice())).toMatchObject({ code: accepted })
  })

  test('one without its key', async () => {
    const device = await makeDevice()
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    await expect(connect({ ...device, key })).rejects.toThrow(/key values mismatch/)
    expect(platform.ctx.liveSessions.list(device.id)).toEqual([])
  })
})

describe('a resumed TLS session', () => {
  test.each(['TLSv1.2', 'TLSv1.3'])(
    'of %s signs in with the certificate of the first one',
    async (maxVersion) => {
      const device = await makeDevice()
      const first = await connect(device, { maxVersion })
      await expect.poll(() => first.session ?? first.socket.getSession()).toBeDefined()
      const session = first.session ?? first.socket.getSession()
      const second = await connect(device, { maxVersion, session })
      expect(second).toMatchObject({ code: accepted, isResumed: true })
      // The client shows nothing but its TLS session.
      const bare = await connect(undefined, { maxVersion, session: second.session ?? session })
      expect(bare).toMatchObject({ code: accepted, isResumed: true })
    },
  )

  test('is judged again, so that a revoked certificate no longer connects', async () => {
    const device = await makeDevice()
    const { session } = await connect(device)
    await update(device, sql`revoked_at = now()`)
    const resumed = await connect(device, { session })
    expect(resumed).toMatchObject({ code: notAuthorized, isResumed: true })
    expect(resumed.reason).toMatch(/^The certificate was revoked /)
  })
})

test('a session ends when its certificate expires', async () => {
  const device = await makeDevice()
  await update(device, sql`not_after = now() + interval '1500 milliseconds'`)
  const connection = await connect(device)
  expect(connection.code).toBe(accepted)
  expect(await connection.ended).toEqual({
    code: notAuthorized,
    reason: 'The certificate that the device signed in with expired.',
  })
  const readReason = async () =>
    (await platform.get(`/v1/providers/mqtt/clients/${device.id}`)).body.connection.disconnectReason
  await expect.poll(readReason).toBe('certificate_expired')
})

test('many certificates that connect for the first time are looked up and stored in few queries', async () => {
  const ids = Array.from({ length: 40 }, () => `many-${randomUUID()}`)
  const devices: CertificateDevice[] = []
  for (const id of ids) devices.push(await makeCertificateDevice(platform.ctx, group, id))
  const codes = await Promise.all(
    devices.map(async (device) => (await connect(device, { connect: { clientId: device.id } })).code),
  )
  expect(codes).toEqual(ids.map(() => accepted))
})
