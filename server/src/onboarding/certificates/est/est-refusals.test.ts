/** Enrolment that is refused: bad requests, wrong identities, and certificates that may not renew. [docs/certificates#errors] */
import 'reflect-metadata'
import { generateKeyPairSync } from 'node:crypto'
import { connect } from 'node:tls'
import * as x509 from '@peculiar/x509'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ecdsa,
  type EstAnswer,
  type EstGroup,
  type EstOptions,
  estRequest,
  exportKey,
  makeEstGroup,
  makeKeys,
  makeRequest,
  readCertificates,
} from '../../../../test/harness/est-client.ts'
import { makeGroup } from '../../../../test/harness/enrollment-group.ts'
import {
  makeCertificate,
  makeManufacturer,
  type Manufacturer,
} from '../../../../test/harness/manufacturer.ts'
import { type Platform, startPlatform } from '../../../../test/harness/platform.ts'
import { verifyManufacturerChain } from '../manufacturer/verify-chain.ts'
import { parseCertificate } from '../read-authority-certificate.ts'
import { bitString, objectIdentifier, sequence, smallInteger, tagged } from '../../../lib/der/write-der.ts'

let platform: Platform
let group: EstGroup
let manufacturer: Manufacturer
/** Trusts the root of the manufacturer. */
let factory: EstGroup
beforeAll(async () => {
  platform = await startPlatform()
  group = await makeEstGroup(platform)
  manufacturer = await makeManufacturer()
  factory = await makeEstGroup(platform, { manufacturer_cas: [manufacturer.root.pem] })
  for (const id of ['pump-1', 'pump-2', 'shared']) await group.add(id)
  for (const id of ['tank-1', 'tank-2']) await factory.add(id)
})
afterAll(() => platform[Symbol.asyncDispose]())

const DAY_MS = 24 * 3600 * 1000
const enroll = (options: EstOptions, path = `${group.path}/simpleenroll`) =>
  estRequest(platform, path, options)
const asPump = (body: Buffer | string, deviceId = 'pump-1') =>
  enroll({ body, basic: [deviceId, group.bootstrapKey] })
const asTank = async (client: { cert: string; key: string }, body?: Buffer) =>
  enroll({ body: body ?? (await makeRequest()), client }, `${factory.path}/simpleenroll`)

/** The answer is text of one line: a code, and what to do. */
function expectRefusal(answer: EstAnswer, status: number, text: string | RegExp) {
  expect(answer).toMatchObject({ status, headers: { 'content-type': 'text/plain; charset=utf-8' } })
  expect(answer.headers['transfer-encoding']).toBeUndefined()
  expect(answer.body).toMatch(/^[a-z_]+: [^\n]+\n$/)
  expect(answer.body).toMatch(text)
}

const san = (...names: string[]) =>
  new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value })))

/** A request whose signature is made up, for algorithms that libraries do not offer. */
function fakeRequest(algorithm: string, spki?: Buffer): Buffer {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = spki ?? publicKey.export({ type: 'spki', format: 'der' })
  const info = sequence(smallInteger(0), sequence(), key, tagged(0xa0))
  return sequence(info, sequence(objectIdentifier(algorithm)), bitString(Buffer.alloc(64, 1)))
}

test('a request may name the device, and no other', async () => {
  expectRefusal(await asPump(await makeRequest({ subject: 'CN=pump-2' })), 403, 'common name (CN) "pump-2"')
  expectRefusal(await asPump(await makeRequest({ subject: 'CN=pump-1, CN=pump-2' })), 403, '"pump-2"')
  expectRefusal(
    await asPump(await makeRequest({ extensions: [san('pump-1', 'pump-2')] })),
    403,
    'alternative name "pump-2"',
  )
  const address = new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '192.0.2.1' }])
  expectRefusal(await asPump(await makeRequest({ extensions: [address] })), 403, 'a name of type 7')
  const many = san(...Array.from({ length: 1000 }, () => 'pump-1'))
  expectRefusal(await asPump(await makeRequest({ extensions: [many] })), 400, '1000 alternative names')
  const fine = await asPump(await makeRequest({ subject: 'CN=pump-1,O=Pumps', extensions: [san('pump-1')] }))
  expect(readCertificates(fine)[0]!.subject).toBe('CN=pump-1\nOU=default')
  expect(readCertificates(fine)[0]!.subjectAltName).toBeUndefined()
})

test('a request for an authority is refused', async () => {
  const authority = new x509.BasicConstraintsExtension(true, 0, true)
  expectRefusal(await asPump(await makeRequest({ extensions: [authority] })), 400, 'certificate authority')
  const usage = new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true)
  expectRefusal(await asPump(await makeRequest({ extensions: [usage] })), 400, 'keyCertSign')
})

test('weak and unknown keys and digests are refused', async () => {
  const short = {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 1024,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  }
  const rsa = await makeRequest({ keys: await makeKeys(short), algorithm: short })
  expectRefusal(await asPump(rsa), 400, 'rsa with 1024 bits')
  const sha1 = { ...ecdsa, hash: 'SHA-1' }
  expectRefusal(await asPump(await makeRequest({ algorithm: sha1 })), 400, 'not accepted. Use SHA-256')
  expectRefusal(await asPump(fakeRequest('1.2.840.113549.1.1.4')), 400, 'not accepted. Use SHA-256')
  const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey
  const spki = p521.export({ type: 'spki', format: 'der' })
  expectRefusal(await asPump(fakeRequest('1.2.840.10045.4.3.2', spki)), 400, 'ec secp521r1')
})

test('the request proves that the device has the key', async () => {
  const [request, other] = [await makeRequest(), await makeRequest()]
  expectRefusal(await asPump(fakeRequest('1.2.840.10045.4.3.2')), 400, 'wrong signature')
  const damaged = Buffer.from(request)
  damaged[damaged.length - 1]! ^= 1
  expectRefusal(await asPump(damaged), 400, 'wrong signature')
  expectRefusal(await asPump(Buffer.concat([request, other])), 400, 'bytes after its end')
})

test('bodies that are no request are refused', async () => {
  const request = await makeRequest()
  const base64 = request.toString('base64')
  expectRefusal(await asPump(`${base64.slice(0, 80)}*${base64.slice(81)}`), 400, 'not base64')
  expectRefusal(await asPump(base64.slice(0, -1)), 400, 'not base64')
  expectRefusal(await asPump(base64.slice(0, 80)), 400, 'not PKCS #10')
  expectRefusal(await asPump(Buffer.from('hello')), 400, 'not PKCS #10')
  expectRefusal(await asPump(''), 400, 'is empty')
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${base64}\n-----END CERTIFICATE REQUEST-----\n`
  expectRefusal(await asPump(pem), 400, 'is PEM')
  const indefinite = Buffer.concat([Buffer.of(0x30, 0x80), request.subarray(4), Buffer.of(0, 0)])
  expectRefusal(await asPump(indefinite), 400, 'DER does not allow')
  for (let cut = 1; cut < request.length; cut += 7)
    expect((await asPump(request.subarray(0, cut))).status).toBe(400)
})

test('another content type and a large body are refused, the latter before it is sent', async () => {
  const options = { body: await makeRequest(), basic: ['pump-1', group.bootstrapKey] as [string, string] }
  const type = await enroll({ ...options, headers: { 'content-type': 'application/json' } })
  expectRefusal(type, 415, 'application/pkcs10')
  const socket = connect({
    port: Number(new URL(platform.ctx.endpoints.https!).port),
    rejectUnauthorized: false,
  })
  const authorization = Buffer.from(options.basic.join(':')).toString('base64')
  socket.write(
    `POST /.well-known/est/${group.path}/simpleenroll HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${authorization}\r\nContent-Type: application/pkcs10\r\nContent-Length: ${100 * 1024 * 1024}\r\n\r\n`,
  )
  const [head] = await new Promise<string[]>((resolve) =>
    socket.once('data', (bytes: Buffer) => resolve(bytes.toString().split('\r\n'))),
  )
  expect(head).toBe('HTTP/1.1 413 Payload Too Large')
  socket.destroy()
})

test('without or with wrong credentials a device is asked for Basic', async () => {
  const body = await makeRequest()
  for (const basic of [undefined, ['pump-1', 'wrong'], ['nobody', group.bootstrapKey]] as const) {
    const answer = await enroll({ body, ...(basic && { basic: [...basic] as [string, string] }) })
    expectRefusal(answer, 401, 'unauthorized')
    expect(answer.headers['www-authenticate']).toBe('Basic realm="gangway"')
  }
  expectRefusal(await enroll({ body }, `${factory.path}/simpleenroll`), 401, 'client certificate')
})

test('too many wrong keys are answered with the time to wait', async () => {
  await group.add('guessed')
  const body = await makeRequest()
  const guess = () => enroll({ body, basic: ['guessed', 'wrong'] })
  for (let n = 0; n < 10; n++) await guess()
  const answer = await guess()
  expectRefusal(answer, 429, 'Wait')
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
})

test('the path of an unknown group, of another group and of a group without certificates', async () => {
  const options = { body: await makeRequest(), basic: ['pump-1', group.bootstrapKey] as [string, string] }
  expectRefusal(await enroll(options, 'no-id/simpleenroll'), 404, 'no enrollment group')
  expectRefusal(await enroll(options, `${factory.path}/simpleenroll`), 403, 'another enrollment group')
  await group.configure({ enabled: false })
  expectRefusal(await enroll(options), 403, 'issues no certificates')
  // Without credentials nobody learns which groups there are.
  const { groupId: unconfigured } = await makeGroup(platform)
  const answers = []
  for (const id of [group.path, unconfigured, '0190b2a4-7e30-7c11-9f4d-2b6a51c0d001', 'no-id'])
    answers.push(await estRequest(platform, `${id}/cacerts`))
  expectRefusal(answers[0]!, 404, 'no enrollment group of this id that issues certificates')
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
  await group.configure({ enabled: true })
  await platform.put(`/api/enrollment-groups/${group.groupId}`, { status: 'disabled' })
  expectRefusal(await enroll(options), 403, 'disabled')
  await platform.put(`/api/enrollment-groups/${group.groupId}`, { status: 'enabled' })
})

test('plain HTTP refuses with the address to use', async () => {
  for (const path of ['cacerts', 'csrattrs', 'simpleenroll']) {
    const url = `/.well-known/est/${group.path}/${path}`
    const answer = await (path === 'simpleenroll' ? platform.post(url, 'x') : platform.get(url))
    expect(answer).toMatchObject({
      status: 403,
      body: expect.stringContaining(platform.ctx.endpoints.https!),
    })
  }
})

test('a group requires its minimum_tier, also of a renewal', async () => {
  const strict = await makeEstGroup(platform)
  await strict.add('valve-1')
  const weak = await strict.enroll('valve-1')
  await strict.configure({ minimum_tier: 2 })
  const path = `${strict.path}/simpleenroll`
  const body = await makeRequest()
  expectRefusal(await enroll({ body, basic: ['valve-1', strict.bootstrapKey] }, path), 403, 'requires tier 2')
  expectRefusal(await enroll({ body, client: weak }, 'simplereenroll'), 403, 'requires tier 2')
  const derived = await enroll({ body, basic: ['valve-1', strict.derived('valve-1')] }, path)
  expect(derived.status).toBe(200)
})

test('manufacturer certificates are refused: foreign, expired, not yet valid, incomplete, an authority itself', async () => {
  const other = await makeManufacturer('Others')
  expectRefusal(await asTank(await other.makeDevice({ subject: 'CN=tank-1' })), 401, 'does not lead')
  const impostor = await makeManufacturer()
  expectRefusal(await asTank(await impostor.makeDevice({ subject: 'CN=tank-1' })), 401, 'wrong signature')
  const expired = { subject: 'CN=tank-1', notBefore: new Date(0), notAfter: new Date(Date.now() - DAY_MS) }
  expectRefusal(await asTank(await manufacturer.makeDevice(expired)), 401, 'has expired')
  const early = { subject: 'CN=tank-1', notBefore: new Date(Date.now() + DAY_MS) }
  expectRefusal(await asTank(await manufacturer.makeDevice(early)), 401, 'not valid before')
  expectRefusal(
    await asTank(await manufacturer.makeDevice({ subject: 'CN=tank-1' }, [])),
    401,
    'does not lead',
  )

  const { root, intermediate } = manufacturer
  const authority = { cert: intermediate.pem, key: await exportKey(intermediate.keys) }
  expectRefusal(await asTank(authority), 401, 'that of an authority')
  const highest = { cert: root.pem, key: await exportKey(root.keys) }
  expectRefusal(await asTank(highest), 401, 'that of an authority')
  const leaf = await makeCertificate({ subject: 'CN=tank-2', issuer: intermediate })
  const below = await makeCertificate({ subject: 'CN=tank-1', issuer: leaf })
  const chain = { cert: [below.pem, leaf.pem, intermediate.pem].join('\n'), key: await exportKey(below.keys) }
  expectRefusal(await asTank(chain), 401, 'does not lead')
  const deeper = await makeCertificate({ subject: 'CN=Line 7', ca: true, issuer: intermediate })
  const tooDeep = await manufacturer.makeDevice({ subject: 'CN=tank-1', issuer: deeper }, [
    deeper,
    intermediate,
  ])
  expectRefusal(await asTank(tooDeep), 401, 'pathLenConstraint')
  const lapsed = await makeCertificate({
    subject: 'CN=Lapsed',
    ca: true,
    issuer: root,
    notBefore: new Date(0),
    notAfter: new Date(Date.now() - DAY_MS),
  })
  expectRefusal(
    await asTank(await manufacturer.makeDevice({ subject: 'CN=tank-1', issuer: lapsed }, [lapsed])),
    401,
    'intermediate has expired',
  )
})

test('manufacturer certificates with a weak digest, for servers, or of an unknown device are refused', async () => {
  const { intermediate } = manufacturer
  const weak = await makeCertificate({ subject: 'CN=tank-1', issuer: intermediate, hash: 'SHA-1' })
  // TLS clients do not send such a certificate.
  const verify = () =>
    verifyManufacturerChain({
      leaf: Buffer.from(weak.certificate.rawData),
      intermediates: [],
      trusted: [parseCertificate(Buffer.from(intermediate.certificate.rawData))],
    })
  expect(verify).toThrow('algorithm that is not accepted')
  const server = new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth])
  const forServers = await manufacturer.makeDevice({ subject: 'CN=tank-1', extensions: [server] })
  expectRefusal(await asTank(forServers), 401, 'not for clients')
  const critical = new x509.Extension('1.2.3.4', true, Buffer.of(5, 0))
  const unknown = await manufacturer.makeDevice({ subject: 'CN=tank-1', extensions: [critical] })
  expectRefusal(await asTank(unknown), 401, 'critical extension 1.2.3.4')
  expectRefusal(await asTank(await manufacturer.makeDevice({ subject: 'CN=nobody' })), 403, 'not registered')
  const another = await makeRequest({ subject: 'CN=tank-2' })
  expectRefusal(
    await asTank(await manufacturer.makeDevice({ subject: 'CN=tank-1' }), another),
    403,
    '"tank-2"',
  )
  const self = await makeCertificate({ subject: 'CN=tank-1' })
  expectRefusal(await asTank({ cert: self.pem, key: await exportKey(self.keys) }), 401, 'does not lead')
})

test('a wrong manufacturer certificate that is repeated has to wait, and no other one', async () => {
  const wrong = await (await makeManufacturer('Others')).makeDevice({ subject: 'CN=tank-1' })
  for (let n = 0; n < 10; n++) expectRefusal(await asTank(wrong), 401, 'does not lead')
  const answer = await asTank(wrong)
  expectRefusal(answer, 429, 'Too many wrong keys or certificates')
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  expect((await asTank(await manufacturer.makeDevice({ subject: 'CN=tank-1' }))).status).toBe(200)
  const basic: [string, string] = ['tank-2', factory.bootstrapKey]
  const path = `${factory.path}/simpleenroll`
  expect((await enroll({ body: await makeRequest(), client: wrong, basic }, path)).status).toBe(200)
  const attempts = await platform.get('/api/onboarding/attempts?device_id=tank-1&outcome=refused')
  expect(attempts.body.items.map(({ code }: { code: string }) => code)).toContain('too_many_failures')
})

test('a certificate that is not accepted does not stand in the way of Basic credentials', async () => {
  const other = await makeManufacturer('Others')
  const client = await other.makeDevice({ subject: 'CN=pump-1' })
  const basic: [string, string] = ['pump-2', group.bootstrapKey]
  const answer = await enroll({ body: await makeRequest(), client, basic })
  expect(readCertificates(answer)[0]!.subject).toBe('CN=pump-2\nOU=default')
})

test('renewal is for the device of the certificate, and needs one', async () => {
  const first = await group.enroll('pump-1')
  const renew = (options: EstOptions) => enroll(options, 'simplereenroll')
  expectRefusal(
    await renew({ body: await makeRequest({ subject: 'CN=pump-2' }), client: first }),
    403,
    '"pump-2"',
  )
  const basic: [string, string] = ['pump-1', group.bootstrapKey]
  expectRefusal(await renew({ body: await makeRequest(), basic }), 403, 'present certificate')
})

test('revoked, superseded, expired certificates and those of deleted devices do not renew', async () => {
  await group.add('old')
  const first = await group.enroll('old')
  const body = await makeRequest()
  const set = (column: string, value: string) =>
    platform.ctx.pool.query(`update device_certificates set ${column} = ${value} where device_id = 'old'`)
  const renew = (path = 'simplereenroll') => enroll({ body, client: first }, path)
  for (const [column, text] of [
    ['revoked_at', 'was revoked'],
    ['superseded_at', 'newer certificate'],
  ] as const) {
    await set(column, 'now()')
    expectRefusal(await renew(), 403, text)
    await set(column, 'null')
  }
  await set('not_after', `now() - interval '2 days'`)
  expectRefusal(await renew(), 403, 'has expired')
  await group.configure({ renewal_grace_days: 3 })
  expectRefusal(await renew('simpleenroll'), 403, 'may only renew')
  expect((await renew()).status).toBe(200)
  await group.configure({ renewal_grace_days: 0 })
  await set('not_after', `now() + interval '2 days'`)
  await platform.delete(`/api/enrollment-groups/${group.groupId}/devices/old`)
  expectRefusal(await renew(), 403, 'not registered')
})

test('a key belongs to one device, and a compromised one to none', async () => {
  const keys = await makeKeys()
  expect((await asPump(await makeRequest({ keys }), 'shared')).status).toBe(200)
  expectRefusal(await asPump(await makeRequest({ keys }), 'pump-2'), 403, 'another device')
  await platform.ctx.pool.query(
    `update device_certificates set revoked_at = now(), revocation_reason = 'key_compromise' where device_id = 'shared'`,
  )
  expectRefusal(await asPump(await makeRequest({ keys }), 'shared'), 403, 'compromised')
  expect((await asPump(await makeRequest(), 'shared')).status).toBe(200)
})

test('a device gets twenty certificates a day', async () => {
  await group.add('loop')
  for (let n = 0; n < 20; n++) expect((await asPump(await makeRequest(), 'loop')).status).toBe(200)
  const answer = await asPump(await makeRequest(), 'loop')
  expectRefusal(answer, 429, '20 certificates within a day')
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(23 * 3600)
})
