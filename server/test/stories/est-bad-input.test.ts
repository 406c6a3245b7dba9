/**
 * Bad input from outside, over TLS: each case is refused (or accepted) as stated, changes nothing else, and does not
 * keep another device from enrolling meanwhile. [docs/certificates]
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCertificates } from '../../../device/src/certificates/certificates-only.ts'
import { deriveDeviceKey } from '../../../device/src/device-key.ts'
import { CERTIFICATES_PER_DAY } from '../../src/onboarding/certificates/issue/decide-order.ts'
import { makeRequest } from './certificates/certificate-request.ts'
import { readErrorCode, readIssued } from './certificates/est-request.ts'
import { execute } from './certificates/execute.ts'
import { basic, type EstWorld, startEstWorld } from './certificates/est-world.ts'
import { refusedRequests } from './certificates/refused-requests.ts'

const DAY_MS = 86_400_000

let world: EstWorld
beforeAll(async () => {
  world = await startEstWorld()
  await world.group.addDevice('victim')
})
afterAll(() => world[Symbol.asyncDispose]())

test.each(refusedRequests)('$name is refused, and another device enrolls meanwhile', async (request) => {
  const [deviceId, bystander] = [await world.addDevice(), await world.addDevice()]
  const [answer, other] = await Promise.all([request.send(world, deviceId), world.enroll(bystander)])
  expect([answer.status, readErrorCode(answer)]).toEqual(request.expected)
  expect(readIssued(other).subject).toContain(`CN=${bystander}`)
  expect(await world.certificatesOf('victim')).toEqual([])
  // The certificate that the attacker obtained for itself is still valid.
  expect(readIssued(await world.enroll(deviceId)).subject).toContain(`CN=${deviceId}`)
})

test.each([1, 2] as const)('tier %i is refused where the next one is required', async (tier) => {
  const strict = await world.makeGroup()
  await strict.change({ minimum_tier: (tier + 1) as 2 | 3, manufacturer_cas: [world.maker.cert] })
  const deviceId = `strict-${tier}`
  await strict.addDevice(deviceId)
  const { der } = await makeRequest({ deviceId })
  const key = tier === 1 ? strict.bootstrapKey : deriveDeviceKey(strict.bootstrapKey, deviceId)
  const answer = await world.send(
    { body: der.toString('base64'), ...basic(strict, deviceId, key) },
    { group: strict },
  )
  expect([answer.status, readErrorCode(answer)]).toEqual([403, 'forbidden'])
  expect(await world.certificatesOf(deviceId)).toEqual([])
})

test('a chain without its root is accepted, since the root is known here', async () => {
  const deviceId = await world.addDevice()
  const answer = await world.enrollWith({ name: deviceId, issuer: world.line }, [world.line])
  expect(readIssued(answer).subject).toContain(`CN=${deviceId}`)
})

test.each([
  ['in one line', (text: string) => text],
  ['in lines of 64 with CRLF', (text: string) => text.replaceAll(/.{64}/g, '$&\r\n')],
  ['in lines of 76 with LF', (text: string) => `${text.replaceAll(/.{76}/g, '$&\n')}\n`],
  ['with spaces around it', (text: string) => `  ${text} \r\n\r\n`],
])('base64 %s is accepted', async (_name, wrap) => {
  const deviceId = await world.addDevice()
  const { der } = await makeRequest({ deviceId })
  const answer = await world.send({ body: wrap(der.toString('base64')), ...basic(world.group, deviceId) })
  expect(readIssued(answer).subject).toContain(`CN=${deviceId}`)
})

test.each([
  ['slow', -DAY_MS],
  ['fast', DAY_MS],
])(
  'a device whose clock is one day %s accepts the server and its own certificate',
  async (_name, shiftMs) => {
    const { host } = new URL(world.platform.ctx.endpoints.https!)
    const ca = join(world.platform.ctx.config.dataDir, 'tls', 'ca.crt')
    // The clock of the device: OpenSSL verifies for this time.
    const attime = () => ['-attime', `${Math.floor((Date.now() + shiftMs) / 1000)}`]
    const client = ['-connect', host, '-CAfile', ca, '-verify_return_error', ...attime()]
    await execute('sh', ['-c', 'openssl s_client "$@" < /dev/null', 'sh', ...client])
    const directory = await mkdtemp(join(tmpdir(), 'gangway-clock-'))
    try {
      const issued = readIssued(await world.enroll(await world.addDevice()))
      const cacerts = readCertificates(
        Buffer.from((await world.send({ method: 'GET' }, { operation: 'cacerts' })).body, 'base64'),
      )
      const [leaf, authorities] = [join(directory, 'leaf'), join(directory, 'authorities')]
      await writeFile(leaf, issued.toString())
      await writeFile(authorities, cacerts.map(String).join('\n'))
      const purpose = ['-x509_strict', '-purpose', 'sslclient']
      await execute('openssl', ['verify', ...purpose, '-CAfile', authorities, ...attime(), leaf])
      const late = ['-attime', `${Math.floor((Date.now() - 2 * DAY_MS) / 1000)}`]
      await expect(execute('openssl', ['verify', '-CAfile', authorities, ...late, leaf])).rejects.toThrow(
        'not yet valid',
      )
    } finally {
      await rm(directory, { recursive: true })
    }
  },
)

test('the same request 50 times at once gets one certificate', async () => {
  const deviceId = await world.addDevice()
  const { der } = await makeRequest({ deviceId })
  const message = { body: der.toString('base64'), ...basic(world.group, deviceId) }
  const answers = await Promise.all(Array.from({ length: 50 }, () => world.send(message)))
  expect(new Set(answers.map((answer) => readIssued(answer).serialNumber)).size).toBe(1)
  expect(await world.certificatesOf(deviceId)).toHaveLength(1)
})

test('50 requests of one device at once leave one enrollment at a time, and another device enrolls meanwhile', async () => {
  const [deviceId, bystander] = [await world.addDevice(), await world.addDevice()]
  const requests = await Promise.all(Array.from({ length: 50 }, () => makeRequest({ deviceId })))
  const [other, ...answers] = await Promise.all([
    world.enroll(bystander),
    ...requests.map(({ der }) =>
      world.send({ body: der.toString('base64'), ...basic(world.group, deviceId) }),
    ),
  ])
  expect(readIssued(other!).subject).toContain(`CN=${bystander}`)
  const issued = answers.filter(({ status }) => status === 200).map(readIssued)
  const stored = (await world.certificatesOf(deviceId)).map((row) => row.serial_number)
  expect(issued.map(({ serialNumber }) => serialNumber.toLowerCase()).toSorted()).toEqual(stored.toSorted())
  expect(issued.length).toBeGreaterThan(0)
  expect(issued.length).toBeLessThanOrEqual(CERTIFICATES_PER_DAY)
  for (const { status, headers } of answers.filter((answer) => answer.status !== 200)) {
    expect(status).toBe(429)
    expect(headers['retry-after']).toMatch(/^\d+$/)
  }
})

test('a revoked certificate does not renew, and its request is not answered with it again', async () => {
  const deviceId = await world.addDevice()
  const { der, key } = await makeRequest({ deviceId })
  const first = { body: der.toString('base64'), ...basic(world.group, deviceId) }
  const revoked = readIssued(await world.send(first))
  await world.revoke(deviceId)
  const { der: again } = await makeRequest({ deviceId })
  const renewal = { body: again.toString('base64'), cert: revoked.toString(), key }
  const answer = await world.send(renewal, { operation: 'simplereenroll' })
  expect([answer.status, readErrorCode(answer)]).toEqual([403, 'forbidden'])
  const other = readIssued(await world.send(first))
  expect(other.serialNumber).not.toBe(revoked.serialNumber)
})
