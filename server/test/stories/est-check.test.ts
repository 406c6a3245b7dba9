/** scripts/est-check.sh, as a device maker runs it. [docs/certificates#check] */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { selfSignedCertificate } from '../../../device/test/certificate.ts'
import { missingPrograms, root } from '../harness/example-programs.ts'
import { type Platform, startPlatform } from '../harness/platform.ts'
import { type CertificateGroup, makeCertificateGroup } from './certificates/certificate-group.ts'
import { execute } from './certificates/execute.ts'
import { makeHolder } from './certificates/manufacturer.ts'

const missing = missingPrograms(['curl'])
if (missing.length > 0) console.log('Skipped: scripts/est-check.sh (curl not installed)')

let platform: Platform
let group: CertificateGroup
let directory: string
beforeAll(async () => {
  platform = await startPlatform()
  const { http, https } = platform.ctx.endpoints
  group = await makeCertificateGroup(platform.request, platform.adminToken, {
    http: http!,
    https: https!.replace('127.0.0.1', 'localhost'),
    mqttPort: 1883,
  })
  directory = await mkdtemp(join(tmpdir(), 'gangway-est-check-'))
})
afterAll(async () => {
  await platform[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

interface Outcome {
  code: number
  lines: string[]
}

async function check(...options: string[]): Promise<Outcome> {
  const { code, stdout } = await execute(join(root, 'scripts/est-check.sh'), options).then(
    (result) => ({ ...result, code: 0 }),
    (error: { code: number; stdout: string }) => error,
  )
  return { code, lines: stdout.trim().split('\n') }
}

const failures = ({ lines }: Outcome) => lines.filter((line) => line.startsWith('failed'))

test.skipIf(missing.length > 0)('this server passes with a bootstrap key', async () => {
  await group.addDevice('checked-1')
  const ca = join(platform.ctx.config.dataDir, 'tls', 'ca.crt')
  const outcome = await check(group.estUrl, '--ca', ca, '--device', 'checked-1', '--key', group.bootstrapKey)
  expect(failures(outcome)).toEqual([])
  expect(outcome.code).toBe(0)
  expect(outcome.lines.at(-1)).toMatch(/^\d\d passed, 0 failed$/)
})

test.skipIf(missing.length > 0)("this server passes with a manufacturer's certificate", async () => {
  const authority = await makeHolder({ name: 'Maker', isAuthority: true })
  const device = await makeHolder({ name: 'checked-2', issuer: authority })
  await group.addDevice('checked-2')
  await group.change({ manufacturer_cas: [authority.cert] })
  const [cert, key] = [join(directory, 'cert'), join(directory, 'key')]
  await writeFile(cert, device.cert)
  await writeFile(key, device.key)
  const ca = join(platform.ctx.config.dataDir, 'tls', 'ca.crt')
  const outcome = await check(
    group.estUrl,
    '--ca',
    ca,
    '--device',
    'checked-2',
    '--cert',
    cert,
    '--cert-key',
    key,
  )
  expect(failures(outcome)).toEqual([])
  expect(outcome.code).toBe(0)
})

test.skipIf(missing.length > 0)('a server that accepts everything, in chunks, fails', async () => {
  const tls = await selfSignedCertificate()
  const careless = createServer({ cert: tls.cert, key: tls.key }, (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.write('all ')
    response.end('is well')
  })
  await new Promise<void>((resolve) => careless.listen(0, '127.0.0.1', resolve))
  const ca = join(directory, 'careless.crt')
  await writeFile(ca, tls.cert)
  const url = `https://127.0.0.1:${(careless.address() as AddressInfo).port}/.well-known/est`
  const outcome = await check(url, '--ca', ca, '--device', 'pump-7', '--key', 'secret')
  careless.close()
  expect(outcome.code).toBe(1)
  expect(failures(outcome)).toEqual([
    'failed   cacerts has the type of RFC 7030',
    'failed   cacerts has a Content-Length',
    'failed   cacerts holds certificates',
    'failed   csrattrs has the type of RFC 7030',
    'failed   csrattrs holds attributes',
    'failed   a request without credentials is refused with 401',
    'failed   a wrong key is refused with 401',
    'failed   a request with a wrong signature is refused with 4xx',
    'failed   a body that is not base64 is refused with 4xx',
    'failed   simpleenroll, base64 in one line has the type of RFC 7030',
    'failed   simpleenroll, base64 in one line has a Content-Length',
    'failed   simpleenroll, base64 in one line holds certificates',
    'failed   simpleenroll, base64 in lines of 64 has the type of RFC 7030',
    'failed   simpleenroll, base64 in lines of 64 has a Content-Length',
    'failed   simpleenroll, base64 in lines of 64 holds certificates',
    'failed   simplereenroll without a certificate is refused',
    'failed   serverkeygen has the type of RFC 7030',
    'failed   serverkeygen holds a private key and a certificate',
  ])
  expect(outcome.lines).toContain(
    '         to do: send a Content-Length instead of chunks: many deployed clients cannot read chunks',
  )
})

test.skipIf(missing.length > 0)('a wrong call shows the usage', async () => {
  expect(await check('--device', 'pump-7')).toMatchObject({ code: 2 })
})
