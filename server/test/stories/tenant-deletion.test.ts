/** Deletes a tenant with one object of every kind, beside another tenant with the same ids. */
import { generateKeyPairSync } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertBinding } from '../harness/assets.ts'
import { connectSession, type RecordedSession } from '../harness/live-session.ts'
import { apiAt, type Platform, startPlatform } from '../harness/platform.ts'
import { connectRealtime } from '../harness/realtime.ts'
import { storeFormerSamples } from '../harness/former-samples.ts'
import { storeSamples } from '../harness/telemetry.ts'
import { packSamples } from '../../src/timeseries/storage/packed/pack-samples.ts'
import { makeTwin, readRows, readTenant } from '../harness/twin-tenant.ts'
import { uploadFirmware } from '../harness/firmware.ts'
import { runAllJobs } from '../harness/due-jobs.ts'
import type { Context } from '../../src/context.ts'
import { issueCertificate } from '../harness/issue-certificate.ts'
import { ENVIRONMENT_ID, insertRelations } from '../../src/access/relations/store.ts'
import { newId } from '../../src/lib/ids.ts'
import { joinNodes } from '../../src/nodes/nodes.ts'
import { tenantTasks } from '../../src/organizations/tenants/deletion-job.ts'
import { makeEverything, type World } from './every-route/world.ts'

let platform: Platform
let joined: AsyncDisposable
/** An owner of the environment in a separate tenant. */
let boss: { token: string }
beforeAll(async () => {
  platform = await startPlatform()
  joined = await joinNodes(platform.ctx.nodes)
  boss = await platform.makeTenant('boss')
  const { id } = (await platform.get('/v1/auth/me', boss)).body
  const owner = { subjectType: 'user', subjectId: id, relation: 'owner' } as const
  await insertRelations(platform.ctx.db, 'boss', [
    { ...owner, resourceType: 'environment', resourceId: ENVIRONMENT_ID },
  ])
})
afterAll(async () => {
  await joined[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

const url = '/v1/tenants/default'
const runJobs = () =>
  runAllJobs(
    platform.ctx,
    tenantTasks(platform.ctx, async () => {}),
  )

/** Creates one object of every kind in the tenant `default`, and rows that only a running server creates. */
async function fill(
  tenantNumber: number,
): Promise<{ world: World; session: RecordedSession; files: string[] }> {
  const world = await makeEverything(platform)
  const { ctx } = platform
  await platform.put(`/v1/providers/mqtt/clients/${world.ids.client}/properties/desired`, { a: 1 })
  await uploadFirmware(platform, 'a file')
  for (const value of [1, 'text'])
    await storeSamples(ctx, { tenantNumber, ownerType: 'asset', ownerId: world.ids.asset! }, [
      { name: `of ${typeof value}`, time: Date.now(), value },
      { name: 'packed', time: Date.now() - 9 * 86_400_000, value },
    ])
  await packSamples(ctx)
  const former = {
    ownerType: 'asset',
    ownerId: world.ids.asset!,
    type: 'telemetry',
    componentId: '',
    name: 'former',
    time: 0,
  } as const
  await storeFormerSamples(ctx, tenantNumber, [
    { ...former, messageId: 1n, value: 1 },
    { ...former, messageId: 2n, value: 'text' },
  ])
  const { ids } = world
  await insertBinding(platform, `${ids.boundAsset}/-/telemetry/temperature`, [`${ids.client}/-/telemetry/t`])
  await sql`insert into model_references (tenant_id, model_id, used_model_id)
    values ('default', ${ids.boundModel}, ${ids.model})`.execute(ctx.db)
  await sql`insert into alarm_holds (tenant_id, alarm_id, asset_id, since, due_at)
    values ('default', ${ids.alarm}, ${ids.asset}, now(), now())`.execute(ctx.db)
  await sql`insert into notification_messages (id, tenant_id, notification_id, alarm_status_id, alarm_id, asset_id,
      channel, sender, subject, template, template_values)
    values (${newId()}, 'default', ${ids.notification}, ${ids.alarmStatus}, ${ids.alarm}, ${ids.asset},
      'email', '', '', '', '{}')`.execute(ctx.db)
  await sql`with session as (
      insert into mqtt_sessions (client_number, client_id, expiry_seconds)
      select number, 'gone', 60 from provider_clients where tenant_id = 'default' and id = ${ids.client}
      returning number, client_number
    ), message as (
      insert into mqtt_session_messages (session_number, topic, payload, qos, retain)
      select number, 'gone', '', 1, false from session
    ), received as (
      insert into mqtt_session_received (session_number, packet_id) select number, 1 from session
    )
    insert into mqtt_retained_messages (client_number, topic, payload, qos)
    select client_number, 'gone', '', 1 from session`.execute(ctx.db)
  await sql`insert into kept_rollups
    select tenant_number, number, now(), 1, now(), '{1}', '{0,1}', '\\x00' from streams
    where tenant_number = ${tenantNumber} limit 1`.execute(ctx.db)
  await sql`insert into lake_days (tenant_number, day) values (${tenantNumber}, current_date)`.execute(ctx.db)
  await sql`insert into ingest_rates (tenant_number, node_id, messages, seconds, ended_at)
    values (${tenantNumber}, ${newId()}, 1, 10, now())`.execute(ctx.db)
  await sql`insert into onboarding_credentials (tenant_id, enrollment_group_id, device_id, provider, credentials_sealed, received_at)
    values ('default', ${ids.group}, ${ids.device}, 'gone', '', now())`.execute(ctx.db)
  await sql`insert into onboarding_attempts (id, tenant_id, device_id, kind, outcome, steps, count, first_at, last_at, duration_ms)
    values (${newId()}, 'default', 'gone', 'settings', 'refused', '[]', 1, now(), now(), 1)`.execute(ctx.db)
  await ctx.db
    .insertInto('outbox')
    .values({ subject: 'Test', payload: JSON.stringify({ tenantId: 'default' }) })
    .execute()
  await insertCertificate(ctx, ids.group!)
  const rows = await ctx.db
    .selectFrom('resource_items')
    .select('file_key')
    .where('file_key', 'is not', null)
    .execute()
  const session = connectSession(ctx, world.ids.client!)
  return { world, session, files: rows.map((row) => row.file_key!) }
}

/** A certificate of a device, and with it the authorities of the tenant and the settings of the group. */
async function insertCertificate(ctx: Context, groupId: string) {
  const tenant = { tenantId: 'default', groupId }
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await ctx.db
    .insertInto('certificate_settings')
    .values({
      enrollment_group_id: groupId,
      tenant_id: 'default',
      enabled: true,
      minimum_tier: 1,
      manufacturer_cas: [],
      validity_days: 90,
    })
    .execute()
  await issueCertificate(ctx, {
    ...tenant,
    deviceId: 'some-device',
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    requestFingerprint: null,
    tier: 1,
    validityDays: 90,
  })
}

test('an empty tenant is deleted at once, and its id can be used again', async () => {
  const { ctx } = platform
  for (let round = 0; round < 2; round++) {
    const { token } = await platform.makeTenant('empty')
    const { number } = await ctx.db
      .selectFrom('tenants')
      .select('number')
      .where('id', '=', 'empty')
      .executeTakeFirstOrThrow()
    expect((await platform.delete('/v1/tenants/empty', boss)).status).toBe(204)
    expect((await platform.get('/v1/auth/me', { token })).status).toBe(401)
    expect((await platform.delete('/v1/tenants/empty', boss)).status).toBe(404)
    expect(await readRows(ctx.db, { id: 'empty', number })).toEqual({})
  }
})

test('a tenant with content is kept without force; with force all its rows are deleted, and those of the other tenant are kept', async () => {
  const { ctx } = platform
  const { number } = await ctx.db
    .selectFrom('tenants')
    .select('number')
    .where('id', '=', 'default')
    .executeTakeFirstOrThrow()
  const gone = { id: 'default', number }
  const { world, session, files } = await fill(number)
  const twin = await makeTwin(platform, 'twin')
  const kept = await readTenant(ctx.db, 'twin')
  const before = await readRows(ctx.db, gone)
  // A table without a row would prove nothing.
  const { rows } = await ctx.pool.query<{ name: string }>(
    `select distinct table_name as name from information_schema.columns
     where column_name in ('tenant_id', 'tenant_number') and table_name !~ '\\d$|_(rest|before|after)$'`,
  )
  expect(rows.map(({ name }) => name).filter((name) => !(name in before))).toEqual([])

  const refused = await platform.delete(url, boss)
  expect(refused).toMatchObject({ status: 409, body: { details: { holds: { assets: expect.any(Number) } } } })
  expect((await platform.delete(url)).body.message).toContain('own tenant')

  const apiToken = (await platform.post('/v1/api-tokens', { displayName: 'CI' })).body.token
  const live = await connectRealtime(platform)
  const begun = await platform.delete(`${url}?force=true`, boss)
  expect(begun).toMatchObject({
    status: 202,
    body: { id: 'default', deletion: { startedAt: expect.any(String) } },
  })
  expect(begun.headers.get('location')).toBe(url)
  expect((await live.closed).code).toBe(1008)
  for (const token of [platform.adminToken, apiToken])
    expect((await platform.get('/v1/auth/me', { token })).status).toBe(401)
  const signIn = { username: ctx.config.adminEmail, password: 'correct horse battery' }
  expect((await apiAt(platform.url)('POST', '/v1/auth/login', signIn)).status).toBe(401)
  expect((await platform.patch(url, { displayName: 'x' }, boss)).status).toBe(409)

  // The storage is unavailable or the server is killed: the job is retried and continues.
  const remove = ctx.files.delete
  ctx.files.delete = () => Promise.reject(new Error('the storage is away'))
  await runJobs()
  ctx.files.delete = remove
  expect(session.ended).toEqual({ reason: 'client_deleted', message: 'The tenant was deleted.' })
  expect((await platform.get(url, boss)).body.deletion.error).toContain('failed')
  expect((await platform.delete(url, boss)).status).toBe(202)
  await runJobs()
  expect((await platform.get(url, boss)).body.deletion).toMatchObject({
    error: null,
    deletedRows: expect.any(Number),
  })
  await runJobs()

  expect((await platform.get(url, boss)).status).toBe(404)
  expect(await readRows(ctx.db, gone)).toEqual({})
  for (const file of files) await expect(ctx.files.open(file)).rejects.toThrow('not in the storage')
  const left = await ctx.pool.query(
    `select payload::text from outbox union all select payload::text from graphile_worker._private_jobs
     where payload::text like '%"default"%' union all
     select client_id from mqtt_sessions union all select topic from mqtt_session_messages union all
     select packet_id::text from mqtt_session_received union all select topic from mqtt_retained_messages union all
     select relname from pg_class where relname ~ '^samples(_other)?_${number}(_|$)' union all
     select 'a row of samples' from sample_rows where tenant_number = ${number}`,
  )
  expect(left.rows).toEqual([])
  expect(await readTenant(ctx.db, 'twin')).toEqual(kept)
  expect((await platform.get(`/v1/assets/${world.ids.asset}`, twin)).status).toBe(200)
  const [entry] = (await platform.get('/v1/audit-log?resourceType=tenant&resourceId=default', boss)).body
  expect(entry).toMatchObject({ action: 'delete', before: { id: 'default' } })
})
