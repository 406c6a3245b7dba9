/** Authorities that a tenant rotates or brings along. [docs/certificates#authorities] */
import 'reflect-metadata'
import { X509Certificate } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  estRequest,
  exportKey,
  makeEstGroup,
  makeKeys,
  makeRequest,
  readCertificates,
} from '../../../../test/harness/est-client.ts'
import { makeCertificate, type Signed } from '../../../../test/harness/manufacturer.ts'
import { type Platform, startPlatform } from '../../../../test/harness/platform.ts'

let platform: Platform
let root: Signed
let issuing: Signed
beforeAll(async () => {
  platform = await startPlatform()
  root = await makeCertificate({ subject: 'CN=Our Root', ca: true })
  issuing = await makeCertificate({ subject: 'CN=Our Issuing', ca: true, pathLength: 0, issuer: root })
})
afterAll(() => platform[Symbol.asyncDispose]())

const DAY_MS = 24 * 3600 * 1000
const url = '/v1/certificate-authorities'
const importChain = async (chain: Signed[], key?: string) =>
  platform.post(`${url}/import`, {
    certificates: chain.map(({ pem }) => pem).join('\n'),
    privateKey: key ?? (await exportKey(chain[0]!.keys)),
  })

async function expectRefused(chain: Signed[], message: string, key?: string) {
  const { status, body } = await importChain(chain, key)
  expect([status, body.message]).toEqual([400, expect.stringContaining(message)])
}

test('certificates are issued by the imported authority, and the previous one is retired', async () => {
  const group = await makeEstGroup(platform)
  await group.add('pump-1')
  const before = await group.enroll('pump-1')
  const imported = await importChain([issuing, root])
  expect(imported).toMatchObject({
    status: 201,
    body: { kind: 'issuing', origin: 'imported', status: 'active', subject: 'CN=Our Issuing' },
  })
  const answer = await estRequest(platform, `${group.path}/simplereenroll`, {
    body: await makeRequest(),
    client: before,
  })
  const [certificate] = readCertificates(answer)
  expect(certificate!.checkIssued(new X509Certificate(issuing.pem))).toBe(true)
  expect(certificate!.verify(new X509Certificate(issuing.pem).publicKey)).toBe(true)
  const trusted = readCertificates(await estRequest(platform, `${group.path}/cacerts`))
  expect(trusted.map(({ subject }) => subject.replace(/\n.*/, ''))).toEqual([
    'CN=Our Issuing',
    expect.stringMatching(/^CN=Gangway Issuing CA/),
    'CN=Our Root',
    expect.stringMatching(/^CN=Gangway Root CA/),
  ])
  const list = (await platform.get(url)).body
  expect(list.map(({ kind, status }: { kind: string; status: string }) => `${kind} ${status}`)).toEqual([
    'issuing active',
    'issuing retired',
    'root active',
  ])
  expect(JSON.stringify(list)).not.toContain('PRIVATE')
  const audit = await platform.ctx.pool.query(
    `select action from audit_log where resource_type = 'certificate_authority' order by id`,
  )
  expect(audit.rows.map(({ action }) => action)).toEqual(['create', 'create', 'import'])

  const rotated = await platform.post(`${url}/rotate`)
  expect(rotated.body).toMatchObject({ origin: 'built_in', status: 'active' })
})

test('an authority that could not issue is refused with the certificate that is wrong', async () => {
  await expectRefused([issuing, root], 'not the key of the first certificate', await exportKey(root.keys))
  await expectRefused([issuing], 'certificate 1 is not a root')
  await expectRefused(
    [root, issuing],
    'certificate 1 was not issued by the next one',
    await exportKey(root.keys),
  )
  const other = await makeCertificate({ subject: 'CN=Our Root', ca: true })
  await expectRefused([issuing, other], 'certificate 1 has a wrong signature')
  const leaf = await makeCertificate({ subject: 'CN=Leaf', issuer: root })
  await expectRefused([leaf, root], 'certificate 1 is not the certificate of an authority')
  const below = await makeCertificate({ subject: 'CN=Below', ca: true, issuer: issuing })
  await expectRefused([below, issuing, root], 'certificate 2 does not allow')
  const ending = new Date(Date.now() + DAY_MS / 2)
  const short = await makeCertificate({ subject: 'CN=Short', ca: true, issuer: root, notAfter: ending })
  await expectRefused([short, root], 'expires within a day')
  const expired = { notBefore: new Date(0), notAfter: new Date(Date.now() - DAY_MS) }
  await expectRefused(
    [await makeCertificate({ subject: 'CN=Old', ca: true, issuer: root, ...expired }), root],
    'has expired',
  )
  const forServers = await makeCertificate({
    subject: 'CN=Web',
    ca: true,
    issuer: root,
    extensions: [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth])],
  })
  await expectRefused([forServers, root], 'certificate 1 is not for certificates of clients')
  const weak = await makeCertificate({ subject: 'CN=Weak', ca: true, issuer: root, hash: 'SHA-1' })
  await expectRefused([weak, root], 'algorithm that is not accepted')
  const p521 = await makeKeys({ name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-256' })
  const large = await makeCertificate({ subject: 'CN=Large', ca: true, issuer: root, keys: p521 })
  await expectRefused([large, root], 'key that is not accepted')
})

test('an authority with the key of one that was revoked is refused, also above another', async () => {
  const again = await makeCertificate({ subject: 'CN=Again', ca: true, issuer: root })
  const imported = await importChain([again, root])
  expect(imported.status).toBe(201)
  expect((await platform.post(`${url}/${imported.body.id}/revoke`)).status).toBe(200)
  await expectRefused([again, root], 'certificate 1 has the key of an authority that was revoked')
  const renamed = await makeCertificate({ subject: 'CN=New', ca: true, issuer: root, keys: again.keys })
  await expectRefused([renamed, root], 'certificate 1 has the key of an authority that was revoked')
  const below = await makeCertificate({ subject: 'CN=Below', ca: true, issuer: renamed })
  await expectRefused([below, renamed, root], 'certificate 2 has the key of an authority that was revoked')
  const fresh = await makeCertificate({ subject: 'CN=Again', ca: true, issuer: root })
  expect((await importChain([fresh, root])).status).toBe(201)
})

test('texts that are no certificate or no usable key are refused', async () => {
  const certificates = `${issuing.pem}\n${root.pem}`
  const privateKey = await exportKey(issuing.keys)
  for (const [body, message] of [
    [{ certificates: 'none', privateKey }, 'certificates: holds no certificate in PEM'],
    [{ certificates: issuing.pem.replace('MII', 'MIJ'), privateKey }, 'is not an X.509 certificate'],
    [{ certificates, privateKey: 'none' }, 'privateKey: is no private key in PEM'],
    [{ certificates, privateKey: '-----BEGIN ENCRYPTED PRIVATE KEY-----' }, 'is encrypted'],
    [{ certificates: `${certificates}\n`.repeat(4), privateKey }, 'more than 6 certificates'],
    [{ certificates }, 'privateKey'],
    [{ certificates, privateKey, more: 1 }, 'more'],
  ] as const) {
    const answer = await platform.post(`${url}/import`, body)
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(message)])
  }
})
