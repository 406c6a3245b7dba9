import { X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectAsync } from 'mqtt'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../../test/harness/gateway.ts'
import { loadServerCertificate } from './server-certificate.ts'

let gateway: TestGateway
let dataDir: string
beforeAll(async () => {
  gateway = await startGateway()
  dataDir = await mkdtemp(join(tmpdir(), 'gangway-tls-'))
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

const configOf = (publicUrl?: string, tlsNames: string[] = []) => ({
  dataDir,
  publicUrl,
  tlsNames,
  mqttsCertFile: undefined,
  mqttsKeyFile: undefined,
})

test('a device that trusts the local authority connects over TLS', async () => {
  const device = await gateway.makeDevice()
  const ca = await readFile(join(gateway.ctx.config.dataDir, 'tls', 'ca.crt'), 'utf8')
  const client = await connectAsync(gateway.ctx.endpoints.mqtts!.replace('127.0.0.1', 'localhost'), {
    username: device.id,
    password: device.key,
    ca,
    reconnectPeriod: 0,
  })
  await client.publishAsync(`devices/${device.id}/telemetry`, '{"a":1}', { qos: 1 })
  expect(await gateway.samplesOf(device)).toHaveLength(1)
  await client.endAsync()
})

test('the certificate stays over restarts, and is made anew when a name is missing', async () => {
  const first = await loadServerCertificate(configOf())
  expect((await loadServerCertificate(configOf())).cert).toBe(first.cert)
  const named = await loadServerCertificate(configOf('https://iot.example:8443'))
  expect(new X509Certificate(named.cert).subjectAltName).toContain('DNS:iot.example')
  expect(new X509Certificate(named.cert).checkIP('127.0.0.1')).toBe('127.0.0.1')
  const ca = new X509Certificate(await readFile(join(dataDir, 'tls', 'ca.crt')))
  expect(new X509Certificate(named.cert).verify(ca.publicKey)).toBe(true)
})

test('the certificate names the addresses of the machine and GANGWAY_TLS_NAMES, and stays the same with them', async () => {
  const tlsNames = ['*.plant.example', '2001:db8:0::5', 'broker']
  const { cert } = await loadServerCertificate(configOf(undefined, tlsNames))
  const { subjectAltName } = new X509Certificate(cert)
  expect(subjectAltName).toContain('DNS:*.plant.example')
  expect(subjectAltName).toContain('DNS:broker')
  expect(new X509Certificate(cert).checkIP('2001:db8::5')).toBe('2001:db8::5')
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  for (const { address, family, internal } of own)
    if (!internal && family === 'IPv4') expect(new X509Certificate(cert).checkIP(address)).toBe(address)
  expect((await loadServerCertificate(configOf(undefined, tlsNames))).cert).toBe(cert)
})

test('keys are readable by their owner alone', async () => {
  await loadServerCertificate(configOf())
  for (const name of ['ca.key', 'server.key'])
    expect((await stat(join(dataDir, 'tls', name))).mode & 0o777).toBe(0o600)
})
