import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import type { DeviceMessage } from '../message.ts'
import { deadLetterOf, deleteExpiredDeadLetters, insertDeadLetters } from './store.ts'
import { UnreadableError } from '../unreadable.ts'

let platform: Platform
let message: DeviceMessage
const list = '/v1/providers/mqtt/clients/pump-1/dead-letters'
beforeAll(async () => {
  platform = await startPlatform()
  const { status, body } = await platform.post('/v1/providers/mqtt/clients', {
    id: 'pump-1',
    displayName: 'Pump',
    enabled: true,
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  const { number } = await platform.ctx.db
    .selectFrom('provider_clients')
    .select('number')
    .where('id', '=', 'pump-1')
    .executeTakeFirstOrThrow()
  message = {
    device: {
      number,
      id: 'pump-1',
      tenantId: 'default',
      tenantNumber: 1,
      providerId: 'mqtt',
    } as DeviceMessage['device'],
    topic: 'devices/pump-1/telemetry',
    payload: Buffer.from('{"a":'),
    receivedAtMs: Date.now(),
    packetId: 1,
    isRepeat: false,
  }
})
afterAll(() => platform[Symbol.asyncDispose]())

const insert = (changes: Partial<DeviceMessage> = {}) =>
  insertDeadLetters(platform.ctx.db, [
    deadLetterOf({ ...message, ...changes }, new UnreadableError('not_json', 'The payload is not JSON.')),
  ])

test('are listed newest first, page by page, with the reason', async () => {
  await insert()
  await insert({ payload: Buffer.of(0xff, 0x00) })
  await insert({ payload: Buffer.alloc(10_000, 'x') })
  const first = await platform.get(`${list}?limit=2`)
  expect(first.status).toBe(200)
  expect(first.body).toMatchObject([
    { payloadBytes: 10_000, reason: 'not_json', message: 'The payload is not JSON.' },
    { payload: Buffer.of(0xff, 0x00).toString('base64'), payloadEncoding: 'base64' },
  ])
  expect(first.body[0].payload.length).toBeLessThan(10_000)
  const next = /<(.+)>; rel="next"/.exec(first.headers.get('link')!)![1]!
  expect((await platform.get(next)).body).toMatchObject([{ payload: '{"a":', payloadEncoding: 'utf8' }])
  const whole = await platform.get(`${list}/${first.body[0].id}`)
  expect(whole.body.payload).toHaveLength(10_000)
})

test('a cursor of another list is refused, an unknown client, letter or tenant answers 404', async () => {
  expect((await platform.get(`${list}?cursor=abc`)).status).toBe(400)
  expect((await platform.get('/v1/providers/mqtt/clients/nobody/dead-letters')).status).toBe(404)
  expect((await platform.get(`${list}/00000000-0000-7000-8000-000000000000`)).status).toBe(404)
  const { token } = await platform.makeTenant('other')
  expect((await platform.get(list, { token })).status).toBe(404)
  expect((await platform.get(list, { token: null })).status).toBe(401)
})

test('leave with the telemetry of their tenant', async () => {
  await insert({ receivedAtMs: Date.now() - 10 * 24 * 3600 * 1000, payload: Buffer.from('old') })
  const { length } = (await platform.get(list)).body
  await deleteExpiredDeadLetters(platform.ctx.db)
  expect((await platform.get(list)).body).toHaveLength(length)
  await platform.ctx.db
    .updateTable('tenants')
    .set({ telemetry_retention_days: 5 })
    .where('id', '=', 'default')
    .execute()
  await deleteExpiredDeadLetters(platform.ctx.db)
  expect((await platform.get(list)).body).toHaveLength(length - 1)
})
