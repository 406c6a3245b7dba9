import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  openRequest,
  publication,
  startStoreWorld,
  type StoreNode,
  type StoreWorld,
  toReceiver,
} from '../../../../test/harness/stored-sessions.ts'
import { SessionLostError, type StoredSessions } from './stored-sessions.ts'

let world: StoreWorld
let node: StoreNode
let store: StoredSessions
let client: number
beforeAll(async () => {
  world = await startStoreWorld()
  node = await world.startNode()
  store = node.store
})
beforeEach(async () => {
  client = (await world.makeClients(1))[0]!
})
afterAll(async () => {
  await node[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

describe('messages of others', () => {
  test('a message with QoS 2 is stored with the identifier that its sender gave it, or not at all', async () => {
    const [sender, receiver] = [
      await store.open(openRequest(client, { clientId: 'sender' })),
      await store.open(openRequest(client, { clientId: 'receiver' })),
    ]
    const to = [toReceiver(receiver.key, 2)]
    const received = { session: sender.key, packetId: 7 }
    await store.insertForOthers(to, publication('once', { qos: 2 }), received)
    const again = await store.open(openRequest(client, { clientId: 'sender' }))
    expect(again.received).toEqual([7])
    await expect(
      store.insertForOthers(to, publication('twice', { qos: 2 }), { session: sender.key, packetId: 8 }),
    ).rejects.toThrow(SessionLostError)
    const { messages } = await store.open(openRequest(client, { clientId: 'receiver' }))
    expect(messages.map(({ topic, qos }) => [topic, qos])).toEqual([['once', 2]])
  })

  test('wait for the device, with packet identifiers that are free', async () => {
    const { key } = await store.open(openRequest(client))
    await store.insertMessage(key, { ...publication('sent'), packetId: 1 })
    await store.leave(key, 60)
    for (const topic of ['a', 'b'])
      expect(await store.insertForOthers([toReceiver(key)], publication(topic))).toEqual([])
    const { messages } = await store.open(openRequest(client))
    expect(messages.map(({ topic, packetId, wasSent }) => [topic, packetId, wasSent])).toEqual([
      ['sent', 1, true],
      ['a', 2, false],
      ['b', 3, false],
    ])
  })

  test('beyond 100 messages or 1 MiB the oldest that were not sent are dropped and reported', async () => {
    const { key } = await store.open(openRequest(client))
    await store.insertMessage(key, { ...publication('sent'), packetId: 1 })
    await store.leave(key, 60)
    const reports = await Promise.all(
      Array.from({ length: 102 }, (_, index) =>
        store.insertForOthers([toReceiver(key)], publication(`${index}`)),
      ),
    )
    const dropped = reports.flat()
    expect(dropped.every(({ sessionNumber }) => sessionNumber === key.number)).toBe(true)
    expect(dropped.reduce((sum, { count }) => sum + count, 0)).toBe(3)
    const half = Buffer.alloc(512 * 1024, 'x')
    expect(await store.insertForOthers([toReceiver(key)], publication('big 1', { payload: half }))).toEqual([
      { sessionNumber: key.number, count: 1 },
    ])
    const [report] = await store.insertForOthers([toReceiver(key)], publication('big 2', { payload: half }))
    expect(report!.count).toBe(99)
    const { messages } = await store.open(openRequest(client))
    expect(messages.map(({ topic }) => topic)).toEqual(['sent', 'big 2'])
  })

  test('one message for many sessions is stored for those that exist', async () => {
    const clients = await world.makeClients(20)
    const opened = await Promise.all(clients.map((number) => store.open(openRequest(number))))
    await store.leave(opened[0]!.key, 0)
    await store.insertForOthers(
      opened.map(({ key }) => toReceiver(key)),
      publication('all'),
    )
    const counts = await Promise.all(
      clients.map(async (number) => (await store.open(openRequest(number))).messages.length),
    )
    expect(counts).toEqual([0, ...Array.from({ length: 19 }, () => 1)])
  })

  test('a connected session takes them; identifiers that were in use at the call or are now are avoided', async () => {
    const { key } = await store.open(openRequest(client))
    await store.insertForOthers([toReceiver(key)], publication('a'))
    await store.insertForOthers([toReceiver(key)], publication('b'))
    await expect.poll(() => node.events).toContain(`messages ${key.number}`)
    const used = new Set([1, 3])
    const taken = store.takeNewMessages(key, used)
    used.delete(1)
    used.add(4)
    expect(await taken).toMatchObject([
      { topic: 'a', packetId: 2, wasSent: false },
      { topic: 'b', packetId: 5, wasSent: false },
    ])
    expect([...used].toSorted()).toEqual([2, 3, 4, 5])
    expect(await store.takeNewMessages(key, used)).toEqual([])
  })
})
