/** Two nodes with one database: what is revoked over the API of one ends sessions at both. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type CertificateConnection,
  type CertificateDevice,
  connectWithCertificate,
  enrol,
  makeCertificateDevice,
} from '../../../../test/harness/certificate-device.ts'
import { estRequest, makeEstGroup, makeKeys, makeRequest } from '../../../../test/harness/est-client.ts'
import { runAllJobs } from '../../../../test/harness/due-jobs.ts'
import { makeGroup, type TestGroup } from '../../../../test/harness/enrollment-group.ts'
import { type OtherProcess, otherProcess } from '../../../../test/harness/other-process.ts'
import { type Platform, startPlatform } from '../../../../test/harness/platform.ts'
import type { Context } from '../../../context.ts'
import { type Mqtt, startMqtt } from '../../../mqtt/start.ts'
import { certificateTasks } from '../tasks.ts'

let platform: Platform
let other: OtherProcess
let here: Mqtt
let there: Mqtt
let group: TestGroup
const connections: CertificateConnection[] = []
beforeAll(async () => {
  platform = await startPlatform()
  other = otherProcess(platform.ctx)
  here = await startMqtt(platform.ctx, platform.parts)
  there = await startMqtt(other, other)
  group = await makeGroup(platform)
})
afterEach(() => {
  for (const { socket } of connections.splice(0)) socket.destroy()
})
afterAll(async () => {
  await there[Symbol.asyncDispose]()
  await here[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

const nodes = (): [string, Context][] => [
  ['this node', platform.ctx],
  ['the other node', other],
]
async function connect(at: Context, device: CertificateDevice) {
  const options = { connect: { clientId: `${device.id}-${connections.length}` } }
  const connection = await connectWithCertificate(at.endpoints.mqtts!, device, options)
  connections.push(connection)
  return connection
}
let made = 0
const makeDevice = () => makeCertificateDevice(platform.ctx, group, `revoked-${++made}`)
const path = (device: CertificateDevice) =>
  `/api/enrollment-groups/${group.groupId}/devices/${device.id}/certificates`
const revoke = (device: CertificateDevice, body?: object) => platform.post(`${path(device)}/revoke`, body)

const notAuthorized = 0x87
const byAdministrator = (reason: string) =>
  expect.stringMatching(new RegExp(`^The certificate was revoked by .+ \\(${reason}\\)\\.$`))

describe('revoking certificates of a device [docs/certificates#revocation]', () => {
  test('ends its sessions on all nodes, and the device no longer connects', async () => {
    const device = await makeDevice()
    const open = []
    for (const [, ctx] of nodes()) open.push(await connect(ctx, device))
    const bystander = await connect(other, await makeDevice())
    expect(open.map(({ code }) => code)).toEqual([0, 0])
    const { status, body } = await revoke(device, { reason: 'key_compromise' })
    expect(status).toBe(200)
    expect(body.revoked).toMatchObject([
      { id: device.row.id, device_id: device.id, state: 'revoked', revocation_reason: 'key_compromise' },
    ])
    for (const { ended } of open)
      expect(await ended).toEqual({ code: notAuthorized, reason: byAdministrator('key_compromise') })
    for (const [, ctx] of nodes()) expect((await connect(ctx, device)).code).toBe(notAuthorized)
    expect(bystander.socket.destroyed).toBe(false)
    const { body: log } = await platform.get(`/v1/audit-log?resourceType=device_certificate`)
    expect(log[0]).toMatchObject({ action: 'revoke', resourceId: device.row.id })
    const readReason = async () =>
      (await platform.get(`/v1/providers/mqtt/clients/${device.id}`)).body.connection.disconnectReason
    await expect.poll(readReason).toBe('certificate_revoked')
  })

  test('revokes one of them, and leaves the others', async () => {
    const old = await makeDevice()
    const renewed = await enrol(platform.ctx, { groupId: group.groupId, deviceId: old.id })
    const first = await connect(platform.ctx, old)
    const second = await connect(other, renewed)
    const { body } = await revoke(old, { certificate_id: old.row.id })
    expect(body.revoked).toMatchObject([{ id: old.row.id, revocation_reason: 'unspecified' }])
    await first.ended
    expect((await platform.get(path(old))).body.items).toMatchObject([
      { id: renewed.row.id, state: 'active' },
      { id: old.row.id, state: 'revoked' },
    ])
    expect(second.socket.destroyed).toBe(false)
  })

  test('without a body revokes all, and once more revokes nothing', async () => {
    const device = await makeDevice()
    await enrol(platform.ctx, { groupId: group.groupId, deviceId: device.id })
    expect((await revoke(device)).body.revoked).toHaveLength(2)
    expect(await revoke(device)).toMatchObject({ status: 200, body: { revoked: [] } })
    const anew = await enrol(platform.ctx, { groupId: group.groupId, deviceId: device.id })
    expect((await connect(platform.ctx, anew)).code).toBe(0)
  })

  test.each([
    ['an unknown field', { certificateId: '019a0000-0000-7000-8000-000000000001' }],
    ['an unknown reason', { reason: 'bad_mood' }],
    ['the reason of an authority', { reason: 'ca_compromise' }],
    ['an id that is none', { certificate_id: 'pump' }],
  ])('refuses %s', async (_what, body) => {
    const device = await makeDevice()
    expect(await revoke(device, body)).toMatchObject({ status: 400, body: { error: 'validation_error' } })
    expect((await platform.get(path(device))).body.items).toMatchObject([{ state: 'issued' }])
  })

  test('finds neither a certificate of another device, nor a device that is not there, nor what another tenant has', async () => {
    const [device, neighbour] = [await makeDevice(), await makeDevice()]
    const foreign = await revoke(device, { certificate_id: neighbour.row.id })
    expect(foreign).toMatchObject({ status: 404, body: { error: 'not_found' } })
    const absent = await platform.post(
      `/api/enrollment-groups/${group.groupId}/devices/absent/certificates/revoke`,
    )
    expect(absent).toMatchObject({ status: 404, body: { error: 'device_not_registered' } })
    const { token } = await platform.makeTenant(`tenant-${made}`)
    expect((await platform.post(`${path(device)}/revoke`, {}, { token })).status).toBe(404)
    expect((await platform.get(path(device), { token })).status).toBe(404)
    await group.add('without')
    const without = `/api/enrollment-groups/${group.groupId}/devices/without/certificates`
    expect(await platform.post(`${without}/revoke`)).toMatchObject({ status: 200, body: { revoked: [] } })
    expect((await platform.get(without)).body.items).toEqual([])
  })

  test('a node that missed it reviews its sessions when its connection to the others is back', async () => {
    const device = await makeDevice()
    const connection = await connect(other, device)
    const held = other.transport.hold('gangway_certificates_changed')
    await revoke(device)
    await expect.poll(() => held.payloads.length).toBeGreaterThan(0)
    expect(connection.socket.destroyed).toBe(false)
    held.release()
    // The channel calls this when its connection is back.
    await there.gateway.reviewAll()
    expect((await connection.ended).reason).toMatch(/^The certificate was revoked at /)
  })

  test('during a sign-in ends the session that just begins', async () => {
    const device = await makeDevice()
    for (let round = 0; round < 5; round++) {
      const anew = await enrol(platform.ctx, { groupId: group.groupId, deviceId: device.id })
      const [connection] = await Promise.all([connect(platform.ctx, anew), revoke(device)])
      if (connection.code === 0) await connection.ended
      expect(platform.ctx.liveSessions.list(device.id)).toEqual([])
    }
  })
})

describe('certificates are revoked', () => {
  const readStates = async (device: CertificateDevice) =>
    (await platform.get(path(device))).body.items.map(
      (item: { state: string; revocation_reason: string }) => `${item.state}: ${item.revocation_reason}`,
    )
  const revoked = ['revoked: cessation_of_operation']

  test('when the device is removed from its group', async () => {
    const device = await makeDevice()
    const connection = await connect(other, device)
    expect(
      (await platform.delete(`/api/enrollment-groups/${group.groupId}/devices/${device.id}`)).status,
    ).toBe(204)
    expect((await connection.ended).code).toBe(notAuthorized)
    expect(await readStates(device)).toEqual(revoked)
  })

  test('when the client is deleted, also for a client that is made anew with its id', async () => {
    const device = await makeDevice()
    const connection = await connect(other, device)
    const client = `/v1/providers/mqtt/clients/${device.id}`
    expect((await platform.delete(client)).status).toBe(204)
    await connection.ended
    expect(await readStates(device)).toEqual(revoked)
    await platform.post('/v1/providers/mqtt/clients', { id: device.id, displayName: device.id })
    expect((await connect(platform.ctx, device)).code).toBe(notAuthorized)
  })

  test('not when the client is disabled: then the device connects again once it is enabled', async () => {
    const device = await makeDevice()
    const connection = await connect(other, device)
    const client = `/v1/providers/mqtt/clients/${device.id}`
    await platform.patch(client, { enabled: false })
    expect((await connection.ended).reason).toMatch(/^Disabled by /)
    expect((await connect(platform.ctx, device)).code).toBe(notAuthorized)
    await platform.patch(client, { enabled: true })
    expect((await connect(platform.ctx, device)).code).toBe(0)
  })
})

describe('revoking an issuing authority', () => {
  const authorities = '/v1/certificate-authorities'

  test('ends the sessions of all its certificates on all nodes, and a job marks each of them', async () => {
    const { token } = await platform.makeTenant('compromised')
    const theirs = await makeGroup(platform, { token })
    const devices = []
    for (let index = 0; index < 6; index++) {
      const deviceId = `turbine-${index}`
      await theirs.add(deviceId)
      await theirs.provision(deviceId)
      devices.push(await enrol(platform.ctx, { tenantId: 'compromised', groupId: theirs.groupId, deviceId }))
    }
    const open = []
    for (const [index, device] of devices.entries())
      open.push(await connect(index % 2 ? other : platform.ctx, device))
    expect(open.map(({ code }) => code)).toEqual(devices.map(() => 0))
    const bystander = await connect(platform.ctx, await makeDevice())

    const id = devices[0]!.row.authority_id
    expect((await platform.post(`${authorities}/${id}/revoke`, {})).status).toBe(404)
    expect((await platform.post(`${authorities}/${id}/revoke`, { reason: 'bored' }, { token })).status).toBe(
      400,
    )
    const { status, body } = await platform.post(`${authorities}/${id}/revoke`, undefined, { token })
    expect([status, body.status]).toEqual([200, 'revoked'])
    for (const { ended } of open)
      expect(await ended).toEqual({
        code: notAuthorized,
        reason: expect.stringMatching(/^The authority that issued the certificate was revoked by /),
      })
    expect(bystander.socket.destroyed).toBe(false)
    expect((await connect(platform.ctx, devices[0]!)).code).toBe(notAuthorized)
    expect(await platform.post(`${authorities}/${id}/revoke`, {}, { token })).toMatchObject({
      status: 409,
      body: { error: 'conflict' },
    })

    const readRevoked = () =>
      platform.ctx.db
        .selectFrom('device_certificates')
        .select('revocation_reason')
        .where('authority_id', '=', id)
        .where('revoked_at', 'is not', null)
        .execute()
    await runAllJobs(platform.ctx, certificateTasks(platform.ctx))
    expect(await readRevoked()).toEqual(devices.map(() => ({ revocation_reason: 'ca_compromise' })))

    // The next certificate is of a new authority.
    const anew = await enrol(platform.ctx, {
      tenantId: 'compromised',
      groupId: theirs.groupId,
      deviceId: devices[0]!.id,
    })
    expect(anew.row.authority_id).not.toBe(id)
    expect((await connect(platform.ctx, anew)).code).toBe(0)
  })

  test('because its key is known to others says nothing about the keys of its devices', async () => {
    const { token } = await platform.makeTenant('leaked')
    const theirs = await makeEstGroup(platform, {}, token)
    await theirs.add('turbine')
    const keys = await makeKeys()
    const enroll = async () =>
      estRequest(platform, `${theirs.path}/simpleenroll`, {
        body: await makeRequest({ keys }),
        basic: ['turbine', theirs.bootstrapKey],
      })
    expect((await enroll()).status).toBe(200)
    const [{ id }] = (await platform.get(authorities, { token })).body
    const revoked = await platform.post(
      `${authorities}/${id}/revoke`,
      { reason: 'key_compromise' },
      { token },
    )
    expect(revoked.status).toBe(200)
    await runAllJobs(platform.ctx, certificateTasks(platform.ctx))
    const { rows } = await platform.ctx.pool.query(
      `select revocation_reason from device_certificates where authority_id = $1`,
      [id],
    )
    expect(rows).toEqual([{ revocation_reason: 'ca_compromise' }])
    expect((await enroll()).status).toBe(200)
  })

  test('refuses a root', async () => {
    await makeDevice()
    const { id } = await platform.ctx.db
      .selectFrom('certificate_authorities')
      .select('id')
      .where('kind', '=', 'root')
      .where('tenant_id', '=', 'default')
      .executeTakeFirstOrThrow()
    expect(await platform.post(`${authorities}/${id}/revoke`, {})).toMatchObject({ status: 409 })
  })
})
