import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeGroup } from '../../../../test/harness/enrollment-group.ts'
import { type Platform, startPlatform } from '../../../../test/harness/platform.ts'
import { sha256 } from '../key-algorithms.ts'
import { OrderRefusal } from './decide-order.ts'
import { issueCertificates } from './issue-certificates.ts'
import { createIssuer } from './issuer.ts'
import type { CertificateOrder } from './sign-device-certificate.ts'

let platform: Platform
let group: Awaited<ReturnType<typeof makeGroup>>
let path: string
beforeAll(async () => {
  platform = await startPlatform()
  group = await makeGroup(platform)
  path = `/api/enrollment-groups/${group.groupId}`
  await platform.patch(`${path}/certificates`, { enabled: true })
})
afterAll(() => platform[Symbol.asyncDispose]())

function makeOrder(deviceId: string, fields: Partial<CertificateOrder> = {}): CertificateOrder {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  return {
    tenantId: 'default',
    groupId: group.groupId,
    deviceId,
    publicKey: spki,
    requestFingerprint: sha256(spki),
    tier: 1,
    validityDays: 90,
    keyId: null,
    presentedId: null,
    ...fields,
  }
}
const issueOne = async (order: CertificateOrder) => (await issueCertificates(platform.ctx, [order]))[0]!
const refused = (result: unknown) => result instanceof OrderRefusal && result.message

test('what changed while the device sent its request counts: its certificate, its key, its group and itself', async () => {
  await group.add('slow')
  const first = await issueOne(makeOrder('slow'))
  if (first instanceof OrderRefusal) throw first
  const renewal = makeOrder('slow', { presentedId: first.id })
  expect(await issueOne(renewal)).toMatchObject({ isRepeat: false })

  await platform.post(`${path}/devices/slow/certificates/revoke`, {})
  expect(refused(await issueOne(makeOrder('slow', { presentedId: first.id })))).toContain('changed while')
  // The answer of the same request is not repeated either.
  expect(refused(await issueOne(renewal))).toContain('changed while')

  const gone = '01900000-0000-7000-8000-000000000000'
  expect(refused(await issueOne(makeOrder('slow', { keyId: gone })))).toContain('changed while')

  await platform.patch(`${path}/certificates`, { minimum_tier: 2 })
  expect(refused(await issueOne(makeOrder('slow')))).toContain('changed while')
  await platform.patch(`${path}/certificates`, { minimum_tier: 1 })

  await platform.delete(`${path}/devices/slow`)
  expect(refused(await issueOne(makeOrder('slow')))).toContain('changed while')
})

test('an order that fails does not fail those that are issued with it', async () => {
  await group.add('good')
  const issue = createIssuer(platform.ctx)
  const results = await Promise.allSettled([
    issue(makeOrder('bad', { tenantId: 'nobody', publicKey: Buffer.alloc(0) })),
    issue(makeOrder('good')),
  ])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})

test('of several devices that order certificates for one key at the same time, one gets a certificate', async () => {
  const ids = ['twin-1', 'twin-2', 'twin-3']
  for (const id of ids) await group.add(id)
  const { publicKey } = makeOrder('twin-1')
  const orders = ids.map((id) => makeOrder(id, { publicKey }))
  const inOneBatch = issueCertificates(platform.ctx, orders.slice(0, 2))
  const inAnother = issueCertificates(platform.ctx, orders.slice(2))
  const results = (await Promise.all([inOneBatch, inAnother])).flat()
  expect(results.filter((result) => !refused(result))).toHaveLength(1)
})
