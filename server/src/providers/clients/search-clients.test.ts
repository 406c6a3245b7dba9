import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectClients, insertNode } from '../../../test/harness/other-node.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import type { DeviceMessage } from '../../ingest/message.ts'
import { createDeadLetter, insertDeadLetters } from '../../ingest/dead-letters/store.ts'
import { UnreadableError } from '../../ingest/unreadable.ts'
import { newId } from '../../lib/ids.ts'

let platform: Platform
const devices = new Map<string, DeviceMessage['device']>()
const ids = ['p-1', 'p-2', 'p-3']
beforeAll(async () => {
  platform = await startPlatform()
  for (const id of ids) {
    await platform.post('/v1/providers/mqtt/clients', { id, displayName: id })
    const { number } = await platform.ctx.db
      .selectFrom('provider_clients')
      .select('number')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    devices.set(id, {
      number,
      id,
      tenantId: 'default',
      tenantNumber: 1,
      providerId: 'mqtt',
    } as DeviceMessage['device'])
  }
})
afterAll(() => platform[Symbol.asyncDispose]())

async function find(query: string) {
  const { status, body } = await platform.get(`/v1/providers/mqtt/clients?${query}`)
  return status === 200 ? body.map(({ id }: { id: string }) => id) : status
}
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()

test('finds clients of all providers of this tenant, by id, in pages [docs/providers#finding-clients]', async () => {
  const mqtt = (await platform.get('/v1/providers/mqtt')).body
  const provider = { type: 'import', displayName: 'Files', organizationId: mqtt.organizationId }
  await platform.put('/v1/providers/files', provider)
  for (const id of ['a-file', 'p-2-file'])
    await platform.post('/v1/providers/files/clients', { id, displayName: id })
  const list = async (path: string, options = {}) => {
    const { body, headers } = await platform.get(path, options)
    const next = /<(.+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    return { ids: body.map(({ id }: { id: string }) => id), providers: body, next }
  }
  const all = await list('/v1/provider-clients')
  expect(all.ids).toEqual(['a-file', 'p-1', 'p-2', 'p-2-file', 'p-3'])
  expect(all.providers[0]).toMatchObject({ providerId: 'files' })
  expect(all.providers[1]).toMatchObject({ providerId: 'mqtt' })
  const first = await list('/v1/provider-clients?limit=2&search=p-2')
  expect(first.ids).toEqual(['p-2', 'p-2-file'])
  const page = await list('/v1/provider-clients?limit=3')
  expect((await list(page.next!)).ids).toEqual(['p-2-file', 'p-3'])
  const other = await platform.makeTenant('elsewhere')
  expect((await list('/v1/provider-clients', { token: other.token })).ids).toEqual([])
  for (const id of ['a-file', 'p-2-file']) await platform.delete(`/v1/providers/files/clients/${id}`)
})

test('by whether they are connected', async () => {
  const { pool } = platform.ctx
  await connectClients(pool, [devices.get('p-2')!.number], await insertNode(pool))
  expect([await find('connected=true'), await find('connected=false')]).toEqual([['p-2'], ['p-1', 'p-3']])
  expect(await find('connected=perhaps')).toBe(400)
})

test('by when they were last heard, which a message records once in 5 minutes', async () => {
  const { activity, db } = platform.ctx
  const hear = async (id: string, msAgo: number) => {
    activity.record([{ device: devices.get(id)!, receivedAtMs: Date.now() - msAgo }])
    await activity.flush()
  }
  await hear('p-1', 600_000)
  await hear('p-2', 7_200_000)
  expect(await find(`silentSince=${ago(3_600_000)}`)).toEqual(['p-2', 'p-3'])
  await hear('p-2', 0)
  expect(await find(`silentSince=${ago(3_600_000)}`)).toEqual(['p-3'])
  const before = (await platform.get('/v1/providers/mqtt/clients/p-2')).body.connection.lastMessageAt
  expect(Date.parse(before)).toBeGreaterThan(Date.now() - 60_000)
  await hear('p-2', -1000)
  expect((await platform.get('/v1/providers/mqtt/clients/p-2')).body.connection.lastMessageAt).toBe(before)
  // A disabled client is not expected to send.
  await db.updateTable('provider_clients').set({ enabled: false }).where('id', '=', 'p-3').execute()
  expect(await find(`silentSince=${ago(3_600_000)}`)).toEqual([])
  const rates = await db.selectFrom('ingest_rates').selectAll().execute()
  expect(rates).toMatchObject([{ tenant_number: 1, messages: 1 }])
})

test('by dead letters', async () => {
  const message = {
    device: devices.get('p-3')!,
    topic: 'devices/p-3/telemetry',
    payload: Buffer.from('{'),
    receivedAtMs: Date.now(),
    packetId: 1,
    isRepeat: false,
  }
  await insertDeadLetters(platform.ctx.db, [
    createDeadLetter(message, new UnreadableError('not_json', 'The payload is not JSON.')),
  ])
  expect(await find(`deadLettersSince=${ago(60_000)}`)).toEqual(['p-3'])
  expect(await find(`deadLettersSince=${ago(-60_000)}`)).toEqual([])
  expect(await find('deadLettersSince=yesterday')).toBe(400)
})

test('by the release of their last successful update or rollback', async () => {
  const { db } = platform.ctx
  const { organizationId } = platform
  const update = async (
    id: string,
    releaseId: string,
    fields: { backTo?: string | null; minutesAgo: number },
  ) => {
    const deployment = newId()
    await db
      .insertInto('deployments')
      .values({
        id: deployment,
        tenant_id: 'default',
        organization_id: organizationId,
        display_name: 'D',
        deployment_template_id: newId(),
        release_id: releaseId,
        plan: JSON.stringify({ releaseName: `Release ${releaseId}` }),
        rollout: '{}',
        status: 'Completed',
      } as never)
      .execute()
    await db
      .insertInto('firmware_updates')
      .values({
        id: newId(),
        tenant_id: 'default',
        deployment_id: deployment,
        client_number: devices.get(id)!.number,
        kind: fields.backTo === undefined ? 'update' : 'rollback',
        back_to_deployment_id: fields.backTo ?? null,
        place: 1,
        wave: 1,
        state: 'Succeeded',
        ended_at: new Date(Date.now() - fields.minutesAgo * 60_000),
      } as never)
      .execute()
    return deployment
  }
  const [old, newer] = [newId(), newId()]
  await update('p-1', old, { minutesAgo: 30 })
  await update('p-1', newer, { minutesAgo: 20 })
  await update('p-2', newer, { minutesAgo: 20 })
  await update('p-2', newer, { backTo: null, minutesAgo: 10 })
  const first = await update('p-3', old, { minutesAgo: 30 })
  await update('p-3', newer, { minutesAgo: 20 })
  await update('p-3', newer, { backTo: first, minutesAgo: 10 })
  expect([await find(`firmwareReleaseId=${old}`), await find(`firmwareReleaseId=${newer}`)]).toEqual([
    ['p-3'],
    ['p-1'],
  ])
  const { body } = await platform.get('/v1/provider-clients?search=p-')
  const releases = new Map(
    body.map(({ id, firmwareRelease }: { id: string; firmwareRelease: string | null }) => [
      id,
      firmwareRelease,
    ]),
  )
  expect([releases.get('p-1'), releases.get('p-2'), releases.get('p-3')]).toEqual([
    `Release ${newer}`,
    null,
    `Release ${old}`,
  ])
})

test('several filters are joined', async () => {
  expect(await find(`connected=false&deadLettersSince=${ago(60_000)}&search=P-`)).toEqual(['p-3'])
  expect(await find(`connected=true&deadLettersSince=${ago(60_000)}`)).toEqual([])
})
