/** Enrolment over TLS that succeeds. [docs/certificates#est] */
import { createPrivateKey, generateKeyPairSync, sign as signBytes, X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type EstGroup,
  estRequest,
  makeEstGroup,
  makeKeys,
  makeRequest,
  readCertificates,
} from '../../../../test/harness/est-client.ts'
import { makeManufacturer } from '../../../../test/harness/manufacturer.ts'
import { type Platform, startPlatform } from '../../../../test/harness/platform.ts'
import { bitString, objectIdentifier, sequence, smallInteger, tagged } from '../../../lib/der/write-der.ts'
import { makeName } from '../issue/build-certificate.ts'

let platform: Platform
let group: EstGroup
beforeAll(async () => {
  platform = await startPlatform()
  group = await makeEstGroup(platform)
  for (const id of ['pump-1', 'pump-2', 'pump-3', 'pump-4', 'pump-5', 'pump-6']) await group.add(id)
})
afterAll(() => platform[Symbol.asyncDispose]())

const DAY_MS = 24 * 3600 * 1000
const est = (path: string, options?: Parameters<typeof estRequest>[2]) => estRequest(platform, path, options)
const listTrace = async (deviceId: string) => {
  await platform.ctx.attempts.flush()
  const { body } = await platform.get(`/api/enrollment-groups/${group.groupId}/devices/${deviceId}/trace`)
  return body.items.map((attempt: { kind: string; outcome: string; steps: { code: string }[] }) => [
    attempt.kind,
    attempt.outcome,
    ...attempt.steps.map(({ code }) => code),
  ])
}

test('a device enrols with its bootstrap key, and gets the certificate alone, in base64 of 64 characters a line', async () => {
  const answer = await est(`${group.path}/simpleenroll`, {
    body: await makeRequest({ subject: 'CN=pump-1' }),
    basic: ['pump-1', group.bootstrapKey],
  })
  expect(answer).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'application/pkcs7-mime; smime-type=certs-only',
      'content-transfer-encoding': 'base64',
      'content-length': `${answer.body.length}`,
    },
  })
  expect(answer.headers['transfer-encoding']).toBeUndefined()
  const lines = answer.body.trimEnd().split('\n')
  expect(lines.slice(0, -1).every((line) => line.length === 64)).toBe(true)
  const certificates = readCertificates(answer)
  expect(certificates.map(({ subject }) => subject)).toEqual(['CN=pump-1\nOU=default'])

  const trusted = readCertificates(await est(`${group.path}/cacerts`))
  expect(trusted).toHaveLength(2)
  expect(certificates[0]!.verify(trusted[0]!.publicKey)).toBe(true)
  expect(trusted[0]!.verify(trusted[1]!.publicKey)).toBe(true)
  expect(await listTrace('pump-1')).toEqual([
    ['certificate', 'succeeded', 'device_found', 'bootstrap_key_accepted', 'certificate_issued'],
  ])
})

test('without a group in the path the identity names the group', async () => {
  const basic: [string, string] = ['pump-2', group.derived('pump-2')]
  const answer = await est('simpleenroll', { body: await makeRequest(), basic })
  expect(readCertificates(answer)[0]!.subject).toBe('CN=pump-2\nOU=default')
  expect(readCertificates(await est('cacerts', { basic }))).toHaveLength(2)
  expect((await est('cacerts')).status).toBe(401)
})

test('csrattrs suggests a P-256 key', async () => {
  const answer = await est(`${group.path}/csrattrs`)
  expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/csrattrs' } })
  const expected = sequence(
    objectIdentifier('1.2.840.10045.4.3.2'),
    sequence(objectIdentifier('1.2.840.10045.2.1'), tagged(0x31, objectIdentifier('1.2.840.10045.3.1.7'))),
  )
  expect(Buffer.from(answer.body, 'base64')).toEqual(expected)
})

test('a certificate renews with itself as client certificate, for another key', async () => {
  const first = await group.enroll('pump-3')
  const keys = await makeKeys()
  const body = await makeRequest({ keys, subject: 'CN=pump-3' })
  for (const path of ['simplereenroll', `${group.path}/simplereenroll`]) {
    const [renewed] = readCertificates(await est(path, { body, client: first }))
    expect(renewed!.subject).toBe('CN=pump-3\nOU=default')
    expect(renewed!.serialNumber).not.toBe(first.certificate.serialNumber)
  }
  expect(await listTrace('pump-3')).toEqual([
    ['certificate', 'succeeded', 'certificate_accepted', 'certificate_repeated'],
    ['certificate', 'succeeded', 'certificate_accepted', 'certificate_issued'],
    ['certificate', 'succeeded', 'device_found', 'bootstrap_key_accepted', 'certificate_issued'],
  ])
})

test('serverkeygen answers with a key and its certificate', async () => {
  const answer = await est(`${group.path}/serverkeygen`, {
    body: await makeRequest(),
    basic: ['pump-4', group.bootstrapKey],
  })
  const boundary = /^multipart\/mixed; boundary=(\S+)$/.exec(String(answer.headers['content-type']))![1]!
  const [, ...parts] = answer.body.split(`--${boundary}`)
  expect(parts.at(-1)).toBe('--\r\n')
  const [key, certificates] = parts.map((part) => part.split('\r\n\r\n')[1]!)
  expect(parts[0]).toContain('Content-Type: application/pkcs8\r\n')
  const privateKey = createPrivateKey({ key: Buffer.from(key!, 'base64'), format: 'der', type: 'pkcs8' })
  const [certificate] = readCertificates({ body: certificates! })
  expect(certificate!.checkPrivateKey(privateKey)).toBe(true)
  expect(certificate!.subject).toBe('CN=pump-4\nOU=default')
})

test('base64 is accepted wrapped and not, and a repeated request gets the same certificate', async () => {
  const request = (await makeRequest()).toString('base64')
  const basic: [string, string] = ['pump-5', group.bootstrapKey]
  const wrapped = request.replaceAll(/.{64}/g, '$&\r\n')
  const answers = []
  for (const body of [request, wrapped, `${request}\n`])
    answers.push(await est(`${group.path}/simpleenroll`, { body, basic }))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
})

test('keys of RSA, P-384 and Ed25519 get certificates', async () => {
  const kinds = [
    {
      name: 'RSASSA-PKCS1-v1_5',
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: 'SHA-256',
    },
    { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  ]
  const requests = [makeEdwardsRequest('pump-6')]
  for (const algorithm of kinds)
    requests.push(await makeRequest({ keys: await makeKeys(algorithm), algorithm }))
  for (const body of requests) {
    const answer = await est(`${group.path}/simpleenroll`, { body, basic: ['pump-6', group.bootstrapKey] })
    expect(readCertificates(answer)[0]!.subject).toBe('CN=pump-6\nOU=default')
  }
})

function makeEdwardsRequest(deviceId: string): Buffer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const info = sequence(smallInteger(0), makeName({ commonName: deviceId }), spki, tagged(0xa0))
  const signature = signBytes(null, info, privateKey)
  return sequence(info, sequence(objectIdentifier('1.3.101.112')), bitString(signature))
}

test('a manufacturer certificate is tier 3: the chain leads to a trusted authority, the id is its CN or serialNumber', async () => {
  const manufacturer = await makeManufacturer()
  const pumps = await makeEstGroup(platform, {
    minimum_tier: 3,
    manufacturer_cas: [manufacturer.root.pem],
    validity_days: 30,
  })
  for (const id of ['tank-1', 'tank-2', 'tank-3']) await pumps.add(id)
  const body = await makeRequest()
  const named = await manufacturer.makeDevice({ subject: 'CN=tank-1' })
  const [certificate] = readCertificates(await est(`${pumps.path}/simpleenroll`, { body, client: named }))
  expect(certificate!.subject).toBe('CN=tank-1\nOU=default')
  expect(Date.parse(certificate!.validTo) - Date.now()).toBeLessThan(30 * DAY_MS)

  const numbered = await manufacturer.makeDevice({ subject: 'CN=Pump 3000, 2.5.4.5=tank-2' })
  const answer = await est('simpleenroll', { body: await makeRequest(), client: numbered })
  expect(readCertificates(answer)[0]!.subject).toBe('CN=tank-2\nOU=default')

  // The intermediate authority can be trusted itself; then the device need not send it.
  await pumps.configure({ manufacturer_cas: [manufacturer.intermediate.pem] })
  const alone = await manufacturer.makeDevice({ subject: 'CN=tank-3' }, [])
  expect((await est(`${pumps.path}/simpleenroll`, { body: await makeRequest(), client: alone })).status).toBe(
    200,
  )
})

test('after a rotation new certificates come from the new authority, and those of the old one still renew', async () => {
  const old = await group.enroll('pump-1')
  const rotated = await platform.post('/v1/certificate-authorities/rotate')
  expect(rotated).toMatchObject({
    status: 201,
    body: { kind: 'issuing', origin: 'built_in', status: 'active' },
  })
  const trusted = readCertificates(await est(`${group.path}/cacerts`))
  expect(trusted).toHaveLength(3)
  const renewed = await est('simplereenroll', { body: await makeRequest(), client: old })
  const certificate = readCertificates(renewed)[0]!
  expect(certificate.verify(trusted[0]!.publicKey)).toBe(true)
  expect(old.certificate.verify(trusted[0]!.publicKey)).toBe(false)
  expect(trusted.some((issuer) => old.certificate.verify(issuer.publicKey))).toBe(true)
  const chain = await platform.get(`/v1/certificate-authorities/${rotated.body.id}/certificates`)
  expect(chain.headers.get('content-type')).toBe('application/x-pem-file')
  const pems = String(chain.body).match(/-----BEGIN[^]+?END CERTIFICATE-----/g)!
  expect(pems.map((pem) => new X509Certificate(pem).fingerprint256)).toEqual([
    trusted[0]!.fingerprint256,
    trusted.at(-1)!.fingerprint256,
  ])
})

test('fifty enrolments of one device at once: the same request gets one certificate, others wait their turn', async () => {
  await group.add('busy')
  const basic: [string, string] = ['busy', group.bootstrapKey]
  const body = await makeRequest()
  const same = await Promise.all(
    Array.from({ length: 50 }, () => est(`${group.path}/simpleenroll`, { body, basic })),
  )
  expect(same.map(({ status }) => status)).toEqual(same.map(() => 200))
  expect(new Set(same.map((answer) => answer.body)).size).toBe(1)

  const bodies = await Promise.all(Array.from({ length: 10 }, () => makeRequest()))
  const others = await Promise.all(
    bodies.map((each) => est(`${group.path}/simpleenroll`, { body: each, basic })),
  )
  const granted = others.filter(({ status }) => status === 200)
  const refused = others.filter(({ status }) => status !== 200)
  expect(granted.length).toBeGreaterThan(0)
  for (const answer of refused) expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
  const { rows } = await platform.ctx.pool.query(
    `select count(*)::int from device_certificates where device_id = 'busy'`,
  )
  expect(rows[0].count).toBe(1 + granted.length)
})
