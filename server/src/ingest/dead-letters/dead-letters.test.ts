import { afterAll, beforeAll, expect, test } from 'vitest'
import { afterStatement } from '../../../test/harness/after-statement.ts'
import { makeClient } from '../../../test/harness/bindings.ts'
import { findDevice, makeMessage } from '../../../test/harness/device-message.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { insertClient } from '../../../test/harness/telemetry.ts'
import { createDeadLetterCommit } from '../commit-batch.ts'
import type { DeviceMessage } from '../message.ts'
import { storeTelemetry } from '../store-telemetry.ts'
import { createDeadLetter, deleteExpiredDeadLetters, insertDeadLetters, REPEAT_WINDOW_MS } from './store.ts'
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

const refusal = new UnreadableError('not_json', 'The payload is not JSON.')
const insert = (changes: Partial<DeviceMessage> = {}) =>
  insertDeadLetters(platform.ctx.db, [createDeadLetter({ ...message, ...changes }, refusal)])

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

test('of one batch keep a payload each', async () => {
  const payloads = [
    Buffer.of(0xff, 0x00, 0x01),
    Buffer.alloc(0),
    Buffer.alloc(70_000, 'é'),
    Buffer.from('last'),
  ]
  await insertDeadLetters(
    platform.ctx.db,
    payloads.map((payload) => createDeadLetter({ ...message, topic: 'batch', payload }, refusal)),
  )
  const kept = await platform.ctx.db
    .selectFrom('dead_letters')
    .select('payload')
    .where('topic', '=', 'batch')
    .orderBy('id')
    .execute()
  expect(kept.map(({ payload }) => payload)).toEqual(payloads)
})

test('a cursor of another list is refused, an unknown client, letter or tenant answers 404', async () => {
  expect((await platform.get(`${list}?cursor=abc`)).status).toBe(400)
  expect((await platform.get('/v1/providers/mqtt/clients/nobody/dead-letters')).status).toBe(404)
  expect((await platform.get(`${list}/00000000-0000-7000-8000-000000000000`)).status).toBe(404)
  const { token } = await platform.makeTenant('other')
  expect((await platform.get(list, { token })).status).toBe(404)
  expect((await platform.get(list, { token: null })).status).toBe(401)
})

/** The ids of a client of another tenant and of one of this tenant. */
async function insertNumberedClient(tenantId: string, clientId: string) {
  const { db } = platform.ctx
  await insertClient(platform.ctx, tenantId, clientId)
  const row = await db
    .selectFrom('provider_clients')
    .select('number')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', clientId)
    .executeTakeFirstOrThrow()
  return row.number
}

test.each(['default', 'stranger'])(
  'a letter of another client, in tenant %s, answers 404',
  async (tenant) => {
    const number = await insertNumberedClient(tenant, `beside-${tenant}`)
    await insert({ device: { ...message.device, number }, payload: Buffer.from(`of ${tenant}`) })
    const { id } = await platform.ctx.db
      .selectFrom('dead_letters')
      .select('id')
      .where('client_number', '=', number)
      .executeTakeFirstOrThrow()
    expect((await platform.get(`${list}/${id}`)).status).toBe(404)
    const payloads = (await platform.get(list)).body.map(({ payload }: { payload: string }) => payload)
    expect(payloads).not.toContain(`of ${tenant}`)
  },
)

const countKept = async (payload: Buffer) => {
  const kept = platform.ctx.db.selectFrom('dead_letters').select('id').where('payload', '=', payload)
  return (await kept.execute()).length
}

test('a repeat within ten minutes is a duplicate, and later a message of its own', async () => {
  expect(REPEAT_WINDOW_MS).toBe(600_000)
  const payload = Buffer.from('repeated')
  await insert({ payload })
  const { id } = await platform.ctx.db
    .selectFrom('dead_letters')
    .select('id')
    .where('payload', '=', payload)
    .executeTakeFirstOrThrow()
  // Its id contains the time.
  const firstMs = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
  await insert({ payload, isRepeat: true, receivedAtMs: firstMs + 599_000 })
  expect(await countKept(payload)).toBe(1)
  await insert({ payload, isRepeat: true, receivedAtMs: firstMs + 601_000 })
  expect(await countKept(payload)).toBe(2)
})

test('a repeat in the same batch is a duplicate, and a message that only equals another is not', async () => {
  const payload = Buffer.from('together')
  const { receivedAtMs } = message
  const changes: Partial<DeviceMessage>[] = [
    { packetId: 1 },
    { packetId: 1, isRepeat: true },
    // Its first delivery is not known.
    { packetId: 2, isRepeat: true },
    { packetId: 1, isRepeat: true, topic: 'devices/pump-1/other' },
    { packetId: 1, isRepeat: true, receivedAtMs: receivedAtMs + REPEAT_WINDOW_MS + 1 },
    // The identifier is free again after the acknowledgement.
    { packetId: 1 },
  ]
  await insertDeadLetters(
    platform.ctx.db,
    changes.map((change) => createDeadLetter({ ...message, payload, ...change }, refusal)),
  )
  expect(await countKept(payload)).toBe(5)
})

test('a repeat in a batch that is stored meanwhile is a duplicate', async () => {
  await makeClient(platform, 'impatient')
  const first = makeMessage(await findDevice(platform, 'impatient'), [])
  let confirmWait = () => {}
  const waits = new Promise<void>((resolve) => (confirmWait = resolve))
  let repeat: Promise<void> | undefined
  const stored: Promise<void> = storeTelemetry(platform.ctx, {
    messages: [first],
    earlier: Promise.resolve(),
    // The last statement of the transaction: its dead letter is written, and others do not see it yet.
    advance: async () => {
      const then: typeof stored.then = (...args) => {
        confirmWait()
        return stored.then(...args)
      }
      // oxlint-disable-next-line unicorn/no-thenable -- it tells when it is awaited
      const earlier = { then } as typeof stored
      repeat = storeTelemetry(platform.ctx, { messages: [{ ...first, isRepeat: true }], earlier })
      await Promise.race([repeat, waits])
    },
  })
  await stored
  await repeat
  expect(await countKept(first.payload)).toBe(1)
})

test('a letter is kept once although the answer to its first commit was lost', async () => {
  const payload = Buffer.from('answer lost')
  const db = afterStatement(platform.ctx.db, 1, async () => {
    throw new Error('Connection terminated unexpectedly')
  })
  const letters = [1, 2].map((packetId) => createDeadLetter({ ...message, payload, packetId }, refusal))
  await createDeadLetterCommit({ ...platform.ctx, db })(letters)
  expect(await countKept(payload)).toBe(2)
})

test('are kept if their tenant keeps telemetry, even if another tenant keeps less', async () => {
  const { db } = platform.ctx
  const number = await insertNumberedClient('forgetful', 'forgetful-client')
  await db.updateTable('tenants').set({ telemetry_retention_days: 5 }).where('id', '=', 'forgetful').execute()
  const old = { receivedAtMs: Date.now() - 10 * 24 * 3600 * 1000 }
  await insert({ ...old, payload: Buffer.from('kept by its tenant') })
  await insert({ ...old, device: { ...message.device, number }, payload: Buffer.from('expired') })
  await deleteExpiredDeadLetters(db)
  const left = await db
    .selectFrom('dead_letters')
    .select('payload')
    .where('received_at', '<', new Date(Date.now() - 9 * 24 * 3600 * 1000))
    .execute()
  expect(left.map(({ payload }) => `${payload}`)).toEqual(['kept by its tenant'])
  await db.deleteFrom('dead_letters').where('payload', '=', Buffer.from('kept by its tenant')).execute()
})

test('are deleted with the telemetry of their tenant', async () => {
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

test('another parser can be tried on the stored payload, and nothing is stored', async () => {
  await insert({ payload: Buffer.from('a=1\n') })
  await insert({ payload: Buffer.from('cpu idle=90.5') })
  const [{ id, receivedAt }] = (await platform.get(`${list}?limit=1`)).body
  const before = (await platform.get(list)).body.length
  const attempt = (body: object, options = {}) => platform.post(`${list}/${id}/try`, body, options)
  expect(await attempt({ parser: 'influx-line' })).toMatchObject({
    status: 200,
    body: {
      samples: [{ name: 'cpu.idle', value: 90.5, timestamp: receivedAt, unit: null }],
      deadLetter: null,
    },
  })
  expect((await attempt({ parser: 'json' })).body).toMatchObject({
    samples: [],
    deadLetter: { reason: 'not_json' },
  })
  expect((await attempt({ parser: 'influx-line', options: { precision: 'h' } })).status).toBe(400)
  expect((await platform.get(list)).body).toHaveLength(before)
  const { token } = await platform.makeTenant('trying')
  expect((await attempt({ parser: 'json' }, { token })).status).toBe(404)
})
