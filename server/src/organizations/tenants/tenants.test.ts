import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminPassword, type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { ensureFirstTenant } from '../first-start.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const administrator = (email: string) => ({ displayName: 'Admin', email, password: adminPassword })

test('the first start makes tenant, root organization, administrator and provider once [docs/organizations#tenants]', async () => {
  const { ctx } = platform
  expect(await ensureFirstTenant(ctx.db, ctx.config)).toBeUndefined()
  expect((await platform.get('/v1/tenants')).body).toMatchObject([{ id: 'default', plan: 'standard' }])
  const providers = await ctx.db.selectFrom('providers').select(['tenant_id', 'id', 'type']).execute()
  expect(providers).toEqual([{ tenant_id: 'default', id: 'mqtt', type: 'mqtt' }])
})

test('a tenant comes with its own administrator, who manages no tenants', async () => {
  const { token } = await platform.makeTenant('acme')
  expect((await platform.get('/v1/auth/me', { token })).body.tenantId).toBe('acme')
  for (const answer of [
    await platform.get('/v1/tenants', { token }),
    await platform.post(
      '/v1/tenants',
      { id: 'b', displayName: 'b', administrator: administrator('b@example.com') },
      { token },
    ),
    await platform.patch('/v1/tenants/acme', { plan: 'enterprise' }, { token }),
  ])
    expect([answer.status, answer.body.error]).toEqual([403, 'forbidden'])
})

test('tenant ids and emails are unique, and a refusal leaves nothing behind', async () => {
  const make = (id: string, email: string) =>
    platform.post('/v1/tenants', { id, displayName: id, administrator: administrator(email) })
  expect((await make('default', 'new@example.com')).status).toBe(409)
  expect((await make('half', 'ADMIN@example.com')).status).toBe(409)
  expect((await platform.get('/v1/tenants/half')).status).toBe(404)
})

test('an OIDC issuer changes only together with its audience and client id', async () => {
  await platform.makeTenant('issued')
  const oidc = { issuer: 'https://issuer.example', audience: 'gangway', clientId: 'console' }
  await platform.patch('/v1/tenants/issued', { oidc })
  for (const part of [{ issuer: 'https://stranger.example' }, { ...oidc, audience: undefined }]) {
    const { status, body } = await platform.patch('/v1/tenants/issued', { oidc: part })
    expect([status, body.error]).toEqual([400, 'validation_error'])
  }
  expect((await platform.get('/v1/tenants/issued')).body.oidc).toEqual(oidc)
})

test('plan, privileges and retention change, and the audit log records before and after', async () => {
  await platform.makeTenant('changing')
  const changed = await platform.patch('/v1/tenants/changing', {
    plan: 'enterprise',
    telemetryRetentionDays: 30,
  })
  expect(changed.body).toMatchObject({
    plan: 'enterprise',
    telemetryRetentionDays: 30,
    displayName: 'changing',
  })
  expect(
    (await platform.patch('/v1/tenants/changing', { telemetryRetentionDays: null })).body
      .telemetryRetentionDays,
  ).toBe(null)
  expect((await platform.patch('/v1/tenants/changing', { telemetryRetentionDays: 0 })).status).toBe(400)
  expect((await platform.patch('/v1/tenants/nowhere', {})).status).toBe(404)
  const [entry] = (await platform.get('/v1/audit-log?resourceType=tenant&resourceId=changing')).body
  expect(entry).toMatchObject({
    action: 'update',
    before: { telemetryRetentionDays: 30 },
    after: { telemetryRetentionDays: null },
  })
})

test('rollups are kept for longer than their samples', async () => {
  await platform.makeTenant('rolled')
  const change = (body: object) => platform.patch('/v1/tenants/rolled', body)
  const refused = async (body: object) => {
    const { status, body: answer } = await change(body)
    expect([status, answer.details.issues[0].path]).toEqual([400, 'rollupRetentionDays'])
    return answer.details.issues[0].message
  }
  const both = { telemetryRetentionDays: 30, rollupRetentionDays: 400 }
  expect((await change(both)).body).toMatchObject(both)
  expect(await refused({ telemetryRetentionDays: 400 })).toContain('which is 400')
  expect(await refused({ rollupRetentionDays: 30 })).toContain('which is 30')
  const { body } = await platform.patch('/v1/tenants/rolled?dryRun=true', { rollupRetentionDays: null })
  expect(body).toMatchObject({ rollupRetentionDays: null, wouldDelete: { samples: 0 } })
  expect((await platform.get('/v1/tenants/rolled')).body).toMatchObject(both)
})

test('a dry run answers what the retention would delete, and changes nothing', async () => {
  await platform.makeTenant('previewed')
  const change = { displayName: 'New', telemetryRetentionDays: 10 }
  const { status, body } = await platform.patch('/v1/tenants/previewed?dryRun=true', change)
  expect(status).toBe(200)
  expect(body).toMatchObject({ ...change, wouldDelete: { samples: 0, bytes: 0, isEstimate: false } })
  expect((await platform.get('/v1/tenants/previewed')).body).toMatchObject({ telemetryRetentionDays: null })
  const without = await platform.patch('/v1/tenants/previewed?dryRun=true', { displayName: 'New' })
  expect(without.body.wouldDelete).toEqual({ before: null, samples: 0, bytes: 0, isEstimate: false })
  expect((await platform.patch('/v1/tenants/nobody?dryRun=true', change)).status).toBe(404)
  const { body: log } = await platform.get('/v1/audit-log?resourceType=tenant&resourceId=previewed')
  expect(log.filter(({ action }: { action: string }) => action === 'update')).toEqual([])
})
