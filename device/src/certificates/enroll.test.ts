import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { selfSignedCertificate } from '../../test/certificate.ts'
import type { EstPlatform, EstReply } from '../../test/est-platform.ts'
import { certificatesOnly, startEstPlatform } from '../../test/est-platform.ts'
import { nextEvent } from '../../test/next-event.ts'
import { quickClock } from '../../test/quick-clock.ts'
import { connect } from '../connect.ts'
import { deriveDeviceKey } from '../device-key.ts'
import type { EnrollAttempt, EnrollOptions } from './enroll.ts'
import { enroll } from './enroll.ts'

const failure = (status: number, error: string, headers: Record<string, string> = {}): EstReply => ({
  status,
  headers,
  body: `${error}: because of ${error}`,
})

let platform: EstPlatform
let directory: string
let options: EnrollOptions
beforeEach(async () => {
  platform = await startEstPlatform(Date.now)
  directory = join(await mkdtemp(join(tmpdir(), 'gangway-identity-')), 'pump')
  const { estUrl, ca } = platform
  options = {
    estUrl,
    ca,
    deviceId: 'pump-7',
    bootstrapKey: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
    store: directory,
  }
})
afterEach(async () => {
  await platform[Symbol.asyncDispose]()
  await rm(join(directory, '..'), { recursive: true })
})

test('obtains a certificate with the bootstrap key, and connects with it', async () => {
  const identity = await enroll(options)
  expect(platform.requests).toMatchObject([
    { operation: 'simpleenroll', identity: 'pump-7:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' },
  ])
  const { port } = platform.broker
  await using device = connect({ host: '127.0.0.1', port, deviceId: 'pump-7', identity })
  expect(await nextEvent(device, 'connected')).toMatchObject({ credential: 'certificate' })
  await device.sendTelemetry({ temperature: 21 })
  expect(platform.connected).toEqual(platform.issued)
  expect(platform.broker.received).toMatchObject([{ topic: 'devices/pump-7/telemetry' }])
})

test('sends only the derived key of the device if asked to', async () => {
  await enroll({ ...options, deriveKey: true })
  expect(platform.requests[0]?.identity).toBe(
    `pump-7:${deriveDeviceKey('AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=', 'pump-7')}`,
  )
})

test('signs in with the certificate of the manufacturer', async () => {
  const { cert, key } = await selfSignedCertificate()
  await enroll({ ...options, bootstrapKey: undefined, manufacturerCertificate: { cert, key } })
  expect(platform.requests).toMatchObject([
    { operation: 'simpleenroll', identity: expect.stringMatching(/^[0-9A-F]+$/) },
  ])
})

test('a later start uses the stored certificate without a request', async () => {
  await enroll(options)
  const [first] = (await enroll(options)).candidates()
  expect(first?.certificate.serialNumber).toBe(platform.issued[0])
  expect(platform.requests).toHaveLength(1)
})

test('the file is readable by its owner only, and holds the key before the certificate', async () => {
  await enroll(options)
  expect((await stat(directory)).mode & 0o777).toBe(0o700)
  const file = join(directory, 'current.pem')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const types = [...(await readFile(file, 'utf8')).matchAll(/BEGIN ([A-Z ]+)/g)].map(([, type]) => type)
  expect(types).toEqual(['PRIVATE KEY', 'CERTIFICATE', 'CERTIFICATE REQUEST'])
})

test('enrolls again if the stored file is damaged', async () => {
  await enroll(options)
  await writeFile(join(directory, 'current.pem'), 'damaged')
  await enroll(options)
  expect(platform.issued).toHaveLength(2)
})

test('waits and repeats the same request on 202, 429, 5xx, and never sooner than Retry-After', async () => {
  platform.replies = [
    failure(503, 'unavailable', { 'retry-after': '5' }),
    failure(429, 'rate_limited', { 'retry-after': '20' }),
    { status: 202, body: '', headers: { 'retry-after': '60' } },
    { status: 502, body: '<html>' },
  ]
  const clock = quickClock(0.5)
  const attempts: EnrollAttempt[] = []
  await enroll({ ...options, clock, onAttempt: (attempt) => attempts.push(attempt) })
  expect(clock.asked).toEqual([5_250, 21_000, 63_000, 4_000])
  expect(attempts.map(({ status, code }) => [status, code])).toEqual([
    [503, 'unavailable'],
    [429, 'rate_limited'],
    [202, 'http_202'],
    [502, 'http_502'],
    [200, null],
  ])
  expect(new Set(platform.requests.map(({ csr }) => csr)).size).toBe(1)
})

test.each([
  [failure(401, 'unauthorized'), 401, 'unauthorized'],
  [failure(403, 'forbidden'), 403, 'forbidden'],
  [{ status: 404, body: 'not here' }, 404, 'http_404'],
  [{ status: 302, headers: { location: 'https://127.0.0.1:9/' }, body: '' }, 302, 'http_302'],
  [{ status: 200, body: '<html>please log in</html>' }, 200, 'invalid_answer'],
] as [EstReply, number, string][])('does not retry after %j', async (reply, status, code) => {
  platform.replies = [reply]
  await expect(enroll(options)).rejects.toMatchObject({ name: 'EnrollmentError', status, code })
  expect(platform.requests).toHaveLength(1)
})

test("refuses a certificate for another device's key", async () => {
  const other = await enroll({ ...options, deviceId: 'pump-8', store: join(directory, 'other') })
  const body = certificatesOnly(other.candidates()[0]!.certificate.raw).toString('base64')
  platform.replies = [{ status: 200, body }]
  await expect(enroll(options)).rejects.toMatchObject({
    code: 'invalid_answer',
    message: "the answer has no certificate for the device's key",
  })
})

test('sends the key to no server whose certificate it does not trust', async () => {
  const { cert } = await selfSignedCertificate()
  const stop = new AbortController()
  const messages: (string | null)[] = []
  const onAttempt = ({ message }: EnrollAttempt) => {
    messages.push(message)
    stop.abort(new Error('enough'))
  }
  await expect(enroll({ ...options, ca: cert, signal: stop.signal, onAttempt })).rejects.toThrow('enough')
  expect(messages).toEqual([expect.stringMatching(/certificate/)])
  expect(platform.requests).toEqual([])
})

test.each([
  { estUrl: 'http://gangway.example/.well-known/est/g' },
  { deviceId: 'a:b' },
  { bootstrapKey: '' },
  { bootstrapKey: undefined },
  { key: 'derived' },
  { manufacturerCertificate: { cert: '', key: '' } },
])('refuses invalid options: %j', async (invalid) => {
  await expect(enroll({ ...options, ...invalid })).rejects.toThrow(TypeError)
  expect(platform.requests).toEqual([])
})
