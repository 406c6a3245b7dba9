/**
 * Certificates from the first request to the revocation, over TLS, with three EST clients: the device SDK, curl with
 * OpenSSL, and strongSwan. [docs/certificates]
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { X509Certificate } from 'node:crypto'
import mqtt, { type MqttClient } from 'mqtt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deriveDeviceKey } from '../../../device/src/device-key.ts'
import { adminPassword, type Api, apiAt, logIn } from '../harness/platform.ts'
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts'
import { type CertificateGroup, makeCertificateGroup } from './certificates/certificate-group.ts'
import { curl } from './certificates/curl.ts'
import { deviceSdk } from './certificates/device-sdk.ts'
import type { CertificateFiles, EstTarget } from './certificates/est-client.ts'
import { strongSwan } from './certificates/strongswan.ts'

const clients = [deviceSdk, curl, strongSwan]
for (const { name, missing } of clients) if (missing) console.log(`Skipped: ${name} (${missing})`)

let server: ServerProcess
let api: Api
let token: string
let group: CertificateGroup
let directory: string

beforeAll(async () => {
  server = await startServerProcess()
  const { http, https, mqtt: plain } = server.endpoints
  api = apiAt(http)
  token = await logIn(api, 'admin@example.com', adminPassword)
  group = await makeCertificateGroup(api, token, { http, https, mqttPort: Number(new URL(plain).port) })
  directory = await mkdtemp(join(tmpdir(), 'gangway-certificates-'))
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

describe.each(clients.filter(({ missing }) => !missing))('$name', (client) => {
  test('enrolls, connects without a password, renews, and is disconnected when it is revoked', async () => {
    const target = await makeTarget(`pump-${clients.indexOf(client)}`)
    const first = await client.enroll(target)
    expect(await subject(first)).toBe(`CN=${target.deviceId}\nOU=default`)
    await sendTemperature(target, first, 21.5)
    expect(await lastTemperature(target)).toBe(21.5)

    const second = await client.renew(target, first)
    expect(await serialNumber(second)).not.toBe(await serialNumber(first))
    // The first stays valid until the second has connected.
    await sendTemperature(target, first, 22)
    await sendTemperature(target, second, 22.5)
    expect(await lastTemperature(target)).toBe(22.5)
    await expect(open(target, first)).rejects.toThrow(/Not authorized/)

    const session = await open(target, second)
    const closed = new Promise<void>((resolve) => session.once('close', () => resolve()))
    await revoke(target)
    await closed
    await expect(open(target, second)).rejects.toThrow(/Not authorized/)
    await expect(client.renew(target, second)).rejects.toThrow()
  })
})

async function makeTarget(deviceId: string): Promise<EstTarget> {
  await group.onboard(deviceId)
  const key = deriveDeviceKey(group.bootstrapKey, deviceId)
  const own = await mkdtemp(join(directory, deviceId))
  const caFile = join(server.dataDir, 'tls', 'ca.crt')
  return { estUrl: group.estUrl.replace('127.0.0.1', 'localhost'), caFile, deviceId, key, directory: own }
}

const certificate = async ({ certFile }: CertificateFiles) => new X509Certificate(await readFile(certFile))
const subject = async (files: CertificateFiles) => (await certificate(files)).subject
const serialNumber = async (files: CertificateFiles) => (await certificate(files)).serialNumber

async function open({ caFile, deviceId }: EstTarget, files: CertificateFiles): Promise<MqttClient> {
  return mqtt.connectAsync(server.endpoints.mqtts.replace('127.0.0.1', 'localhost'), {
    clientId: deviceId,
    ca: await readFile(caFile),
    cert: await readFile(files.certFile),
    key: await readFile(files.keyFile),
    reconnectPeriod: 0,
  })
}

async function sendTemperature(target: EstTarget, files: CertificateFiles, temperature: number) {
  const client = await open(target, files)
  await client.publishAsync(`devices/${target.deviceId}/telemetry`, JSON.stringify({ temperature }), {
    qos: 1,
  })
  await client.endAsync()
}

async function lastTemperature({ deviceId }: EstTarget): Promise<unknown> {
  const items = [
    { assetId: deviceId, componentId: null, timeseries: [{ name: 'temperature', type: 'telemetry' }] },
  ]
  const { body } = await api('POST', '/v1/timeseries/get/last', { items }, { token })
  return body.items[0]?.value
}

async function revoke({ deviceId }: EstTarget): Promise<void> {
  const path = `/api/enrollment-groups/${group.groupId}/devices/${deviceId}/certificates/revoke`
  const { status, body } = await api('POST', path, undefined, { token })
  expect([status, body]).toEqual([200, expect.anything()])
}
