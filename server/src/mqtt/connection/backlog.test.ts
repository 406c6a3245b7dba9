import type { Packet } from 'mqtt-packet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publishPacket, startGateway, type TestGateway } from '../../../test/harness/gateway.ts'
import { MAX_UNCOMMITTED_MESSAGES } from './backlog.ts'

let gateway: TestGateway
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

/** Lets writes to stored sessions wait until it is disposed. */
async function holdSessions() {
  const holder = await gateway.database.pool.connect()
  await holder.query('begin; lock table mqtt_sessions in access exclusive mode')
  return {
    [Symbol.asyncDispose]: async () => {
      await holder.query('commit')
      holder.release()
    },
  }
}

test('PUBREL counts as a waiting message until it is stored', async () => {
  const device = await gateway.makeDevice()
  const client = await gateway.raw(device, { clean: false })
  client.send(publishPacket(`devices/${device.id}/note`, { qos: 2, messageId: 9 }))
  expect(await client.next()).toMatchObject({ cmd: 'pubrec', messageId: 9 })
  const count = MAX_UNCOMMITTED_MESSAGES * 2
  {
    await using _held = await holdSessions()
    for (let sent = 0; sent < count; sent++) client.send({ cmd: 'pubrel', messageId: 9 })
    await gateway.backlogReaches(MAX_UNCOMMITTED_MESSAGES)
    const { values } = await gateway.ctx.metrics.ingestBacklog.get()
    expect(values[0]!.value).toBe(MAX_UNCOMMITTED_MESSAGES)
  }
  for (let received = 0; received < count; received++)
    expect(await client.next()).toEqual(expect.objectContaining({ cmd: 'pubcomp', messageId: 9 }))
  client.socket.destroy()
})

test('UNSUBSCRIBE counts as a waiting message until it is stored', async () => {
  const device = await gateway.makeDevice()
  const client = await gateway.raw(device, { clean: false })
  const filters = Array.from({ length: 20 }, (_, index) => `devices/${device.id}/${index}`)
  const subscriptions = filters.map((topic) => ({ topic, qos: 1 }))
  client.send({ cmd: 'subscribe', messageId: 1, subscriptions } as Packet)
  await client.next()
  {
    await using _held = await holdSessions()
    for (const [index, filter] of filters.entries())
      client.send({ cmd: 'unsubscribe', messageId: index + 2, unsubscriptions: [filter] })
    await gateway.backlogReaches(filters.length)
  }
  for (const [index] of filters.entries())
    expect(await client.next()).toMatchObject({ cmd: 'unsuback', messageId: index + 2 })
  client.socket.destroy()
})
