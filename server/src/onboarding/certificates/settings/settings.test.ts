/** Certificate settings of a group. [docs/certificates#settings-of-a-group] */
import 'reflect-metadata'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeGroup } from '../../../../test/harness/enrollment-group.ts'
import { makeCertificate } from '../../../../test/harness/manufacturer.ts'
import { type Platform, startPlatform } from '../../../../test/harness/platform.ts'

let platform: Platform
let url: string
beforeAll(async () => {
  platform = await startPlatform()
  url = `/api/enrollment-groups/${(await makeGroup(platform)).groupId}/certificates`
})
afterAll(() => platform[Symbol.asyncDispose]())

const defaults = {
  enabled: false,
  minimum_tier: 1,
  manufacturer_cas: [],
  validity_days: 365,
  renewal_grace_days: 0,
}

test('absent fields keep their values, and what was never set has its default', async () => {
  expect((await platform.get(url)).body).toEqual(defaults)
  const { pem } = await makeCertificate({ subject: 'CN=Root', ca: true })
  expect((await platform.put(url, { enabled: true, manufacturer_cas: [pem] })).body).toEqual({
    ...defaults,
    enabled: true,
    manufacturer_cas: [pem],
  })
  expect((await platform.patch(url, { minimum_tier: 3, validity_days: 30 })).status).toBe(200)
  expect((await platform.get(url)).body).toMatchObject({ enabled: true, minimum_tier: 3, validity_days: 30 })
  const { rows } = await platform.ctx.pool.query(
    `select action from audit_log where action = 'update-certificates'`,
  )
  expect(rows).toHaveLength(2)
})

test('wrong values are refused with their place', async () => {
  const leaf = await makeCertificate({ subject: 'CN=Leaf' })
  const root = await makeCertificate({ subject: 'CN=Root', ca: true })
  const cases: [object, string][] = [
    [{ minimum_tier: 4 }, 'minimum_tier'],
    [{ minimum_tier: '1' }, 'minimum_tier'],
    [{ validity_days: 0 }, 'validity_days'],
    [{ validity_days: 3651 }, 'validity_days'],
    [{ renewal_grace_days: -1 }, 'renewal_grace_days'],
    [{ enabled: 'yes' }, 'enabled'],
    [{ tier: 1 }, 'tier'],
    [{ manufacturer_cas: ['none'] }, 'manufacturer_cas.0: holds no certificate in PEM'],
    [
      { manufacturer_cas: [root.pem, leaf.pem] },
      'manufacturer_cas.1: is not the certificate of an authority',
    ],
    [{ manufacturer_cas: [`${root.pem}\n${root.pem}`] }, 'manufacturer_cas.0: holds 2 certificates'],
    [{ manufacturer_cas: Array.from({ length: 21 }, () => root.pem) }, 'manufacturer_cas'],
    [{ enabled: true, minimum_tier: 3, manufacturer_cas: [] }, 'manufacturer_cas: is empty'],
  ]
  for (const [body, message] of cases) {
    const answer = await platform.patch(url, body)
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(message)])
  }
})
