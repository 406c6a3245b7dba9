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

async function connect(device: CertificateDevice) {
  const connection = await connectWithCertificate(platform.ctx.endpoints.mqtts!, device)
  connections.push(connection)
  return connection
}
let made = 0
const makeDevice = () => makeCertificateDevice(platform.ctx, group, `traced-${++made}`)
const update = (device: CertificateDevice, set: ReturnType<typeof sql>) =>
  sql`update device_certificates set ${set} where id = ${device.row.id}`.execute(platform.ctx.db)

describe('the decision trace [docs/onboarding#decision-trace]', () => {
  const readAttempts = async (deviceId: string) => {
    await platform.ctx.attempts.flush()
    return platform.ctx.db
      .selectFrom('onboarding_attempts')
      .select(['kind', 'outcome', 'tenant_id', 'enrollment_group_id', 'steps'])
      .where('device_id', '=', deviceId)
      .where('kind', '=', 'mqtt_sign_in')
      .orderBy('id')
      .execute()
  }

  test('shows a sign-in with a certificate, and why one was refused', async () => {
    const device = await makeDevice()
    await connect(device)
    await update(device, sql`revoked_at = now()`)
    await connect(device)
    const owner = { kind: 'mqtt_sign_in', tenant_id: 'default', enrollment_group_id: group.groupId }
    await expect
      .poll(() => readAttempts(device.id))
      .toMatchObject([
        {
          ...owner,
          outcome: 'succeeded',
          steps: [{ code: 'certificate_accepted' }, { code: 'client_enabled' }, { code: 'session_opened' }],
        },
        {
          ...owner,
          outcome: 'refused',
          steps: [{ code: 'certificate_revoked', message: expect.stringContaining('was revoked') }],
        },
      ])
  })

  test('shows a certificate of another tenant to the tenant of the certificate alone', async () => {
    const device = await makeDevice()
    const { token } = await platform.makeTenant('curious')
    const there = await makeGroup(platform, { token })
    await sql`insert into onboarding_devices (tenant_id, enrollment_group_id, device_id, status)
      values ('curious', ${there.groupId}, ${device.id}, 'registered')`.execute(platform.ctx.db)
    const tenant = { tenantId: 'curious', groupId: there.groupId, deviceId: device.id }
    await connect(await enrol(platform.ctx, tenant))
    await expect
      .poll(() => readAttempts(device.id))
      .toMatchObject([{ tenant_id: 'curious', steps: [{ code: 'certificate_of_other_tenant' }] }])
  })
})
