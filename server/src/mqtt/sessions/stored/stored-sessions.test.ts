import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  openRequest,
  publication,
  startStoreWorld,
  type StoreNode,
  type StoreWorld,
  toReceiver,
} from '../../../../test/harness/stored-sessions.ts'
import type { Subscription } from '../publication.ts'
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

const subscription = (filter: string): Subscription => ({
  filter,
  qos: 1,
  noLocal: false,
  retainAsPublished: true,
  identifier: 7,
})
const countRows = async (table: string) =>
  (await world.database.pool.query<{ count: number }>(`select count(*)::int as count from ${table}`)).rows[0]!
    .count

describe('opening', () => {
  test('a session that was left returns as it was', async () => {
    const created = await store.open(openRequest(client))
    expect(created).toMatchObject({ isResumed: false, subscriptions: [], messages: [], received: [] })
    const { key } = created
    const message = publication('a', {
      qos: 2,
      retain: true,
      expiresAtMs: Date.now() + 60_000,
      properties: {
        payloadFormatIndicator: true,
        contentType: 'text/plain',
        responseTopic: 'r',
        correlationData: Buffer.from([0, 255]),
        userProperties: [
          ['z', '1'],
          ['a', '3'],
          ['z', '2'],
        ],
      },
    })
    await store.saveSubscriptions(key, [subscription('old')])
    await store.saveSubscriptions(key, [subscription('a'), subscription('ü/#')])
    const number = await store.insertMessage(key, { ...message, packetId: 9 })
    await store.insertReceived(key, 5)
    await store.insertReceived(key, 6)
    await store.deleteReceived(key, 5)
    await store.leave(key, 3600)
    const resumed = await store.open(openRequest(client))
    expect(resumed).toEqual({
      key: { number: key.number, generation: key.generation + 1 },
      isResumed: true,
      subscriptions: [subscription('a'), subscription('ü/#')],
      messages: [{ ...message, number, packetId: 9, isReleased: false, wasSent: true }],
      received: [6],
    })
    expect(resumed.messages[0]!.properties!.userProperties!.map(([name]) => name)).toEqual(['z', 'a', 'z'])
  })

  test('a clean start discards the session', async () => {
    const { key } = await store.open(openRequest(client))
    await store.insertMessage(key, { ...publication('a'), packetId: 1 })
    const fresh = await store.open(openRequest(client, { cleanStart: true }))
    expect(fresh).toMatchObject({ isResumed: false, messages: [] })
    expect(fresh.key.number).not.toBe(key.number)
    await expect(store.deleteMessage(key, 1)).rejects.toThrow(SessionLostError)
  })

  test('a removed session, and one that ended with its connection, are gone', async () => {
    await store.open(openRequest(client))
    await store.remove(client, 'main')
    await store.remove(client, 'absent')
    const { key, isResumed } = await store.open(openRequest(client))
    expect(isResumed).toBe(false)
    await store.leave(key, 0)
    expect(await store.list(client)).toEqual([])
    expect((await store.open(openRequest(client))).isResumed).toBe(false)
  })

  test('two openings of one session at once happen one after the other', async () => {
    const opened = await Promise.all([
      store.open(openRequest(client)),
      store.open(openRequest(client)),
      store.open(openRequest(client, { cleanStart: true })),
      store.open(openRequest(client)),
    ])
    expect(opened.map(({ isResumed }) => isResumed)).toEqual([false, true, false, true])
    expect(opened.map(({ key }) => key.generation)).toEqual([1, 2, 1, 2])
    await expect(store.leave(opened[0].key, 60)).rejects.toThrow(SessionLostError)
    await expect(store.leave(opened[2].key, 60)).rejects.toThrow(SessionLostError)
    await store.leave(opened[3].key, 60)
  })

  test('an opening sees what the former connection wrote, whoever waits for it', async () => {
    const { key } = await store.open(openRequest(client))
    const first = await store.insertMessage(key, { ...publication('a'), packetId: 1 })
    const writes = [
      store.deleteMessage(key, first),
      store.insertMessage(key, { ...publication('b'), packetId: 1 }),
      store.leave(key, 0),
    ]
    expect((await store.open(openRequest(client))).isResumed).toBe(false)
    await Promise.all(writes)
  })

  test('a client id is used again by another client, and a client with a deleted number fails alone', async () => {
    const [other, deleted] = await world.makeClients(2)
    await world.database.pool.query('delete from provider_clients where number = $1', [deleted])
    await store.open(openRequest(client))
    const [opened, failed] = await Promise.allSettled([
      store.open(openRequest(other!)),
      store.open(openRequest(deleted!)),
    ])
    expect(opened).toMatchObject({ value: { isResumed: false } })
    expect(failed).toMatchObject({ reason: expect.any(SessionLostError) })
  })

  test('of more than ten sessions, those that were left first go; a connected one is lost', async () => {
    const ids = Array.from({ length: 10 }, (_, index) => `session ${index}`)
    const opened = []
    for (const clientId of ids) opened.push(await store.open(openRequest(client, { clientId })))
    await store.leave(opened[4]!.key, 60)
    await store.leave(opened[2]!.key, 60)
    for (const clientId of ['a', 'b', 'c']) await store.open(openRequest(client, { clientId }))
    const left = (await store.list(client)).map(({ clientId }) => clientId)
    expect(left).toEqual([...ids.filter((_, index) => ![0, 2, 4].includes(index)), 'a', 'b', 'c'])
    expect(node.events).toContain(`lost ${opened[0]!.key.number}`)
    // At once, too.
    await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        store.open(openRequest(client, { clientId: `burst ${index}` })),
      ),
    )
    expect(await store.list(client)).toHaveLength(10)
  })

  test('2,000 devices come back with few statements', async () => {
    const clients = await world.makeClients(2000)
    const openAll = () => Promise.all(clients.map((number) => store.open(openRequest(number))))
    const created = await openAll()
    await Promise.all(
      created.map(({ key }) => store.insertMessage(key, { ...publication('a'), packetId: 3 })),
    )
    const receivers = created.map(({ key }) => toReceiver(key))
    await store.insertForOthers(receivers, publication('b'))
    await Promise.all(created.map(({ key }) => store.leave(key, 60)))
    const { pool } = world.database
    const statements: unknown[] = []
    const count = (query: unknown) => statements.push(query)
    const counted = recordQueries(pool, count)
    const resumed = await openAll()
    counted()
    expect(resumed.every(({ isResumed, messages }) => isResumed && messages.length === 2)).toBe(true)
    expect(resumed[7]!.messages.map(({ packetId, wasSent }) => [packetId, wasSent])).toEqual([
      [3, true],
      [1, false],
    ])
    expect(statements.length).toBeLessThan(150)
  })
})

/** Counts statements of the pool's clients. @returns a function that ends it */
function recordQueries(pool: StoreWorld['database']['pool'], onQuery: (query: unknown) => void): () => void {
  const { connect } = pool
  pool.connect = (async () => {
    const connected = await (connect as () => Promise<import('pg').PoolClient>).call(pool)
    const { query } = connected
    connected.query = ((...args: unknown[]) => {
      onQuery(args[0])
      return Reflect.apply(query, connected, args)
    }) as typeof query
    const { release } = connected
    connected.release = (destroy) => {
      connected.query = query
      connected.release = release
      release(destroy)
    }
    return connected
  }) as typeof connect
  return () => {
    pool.connect = connect
  }
}

describe('messages', () => {
  test('return in the order in which they were stored, released ones without their payload', async () => {
    const { key } = await store.open(openRequest(client))
    const numbers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((topic, index) =>
        store.insertMessage(key, { ...publication(topic, { qos: 2 }), packetId: 10 - index }),
      ),
    )
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    await Promise.all([store.releaseMessage(key, numbers[1]!), store.deleteMessage(key, numbers[0]!)])
    const { messages } = await store.open(openRequest(client))
    expect(messages.map(({ packetId, isReleased }) => [packetId, isReleased])).toEqual([
      [9, true],
      [8, false],
      [7, false],
    ])
    expect(messages[0]!.payload).toHaveLength(0)
  })

  test('a packet identifier is used again right after its message was deleted', async () => {
    const { key } = await store.open(openRequest(client))
    for (let round = 0; round < 20; round++) {
      const number = await store.insertMessage(key, { ...publication('a'), packetId: 1 })
      void store.deleteMessage(key, number)
    }
    await store.insertMessage(key, { ...publication('last'), packetId: 1 })
    expect((await store.open(openRequest(client))).messages).toMatchObject([{ topic: 'last', packetId: 1 }])
  })

  test('a write that PostgreSQL refuses fails alone', async () => {
    const { key } = await store.open(openRequest(client))
    const [other] = await world.makeClients(1)
    const second = await store.open(openRequest(other!))
    const topics = ['a', 'b', 'nul \0', 'c', 'd', 'e']
    const outcomes = await Promise.allSettled([
      ...topics.map((topic, index) =>
        store.insertMessage(index % 2 ? second.key : key, { ...publication(topic), packetId: index + 1 }),
      ),
      store.insertReceived(key, 1),
    ])
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([
      true,
      true,
      false,
      true,
      true,
      true,
      true,
    ])
    const { messages, received } = await store.open(openRequest(client))
    expect(messages.map(({ topic }) => topic)).toEqual(['a', 'd'])
    expect(received).toEqual([1])
    expect((await store.open(openRequest(other!))).messages).toHaveLength(3)
    const opened = await Promise.allSettled(
      ['good', 'nul \0', 'better'].map((clientId) => store.open(openRequest(client, { clientId }))),
    )
    expect(opened.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  test('expired messages do not return, unless they may have been sent', async () => {
    const { key } = await store.open(openRequest(client))
    const expired = { expiresAtMs: Date.now() - 1000 }
    await store.insertMessage(key, { ...publication('sent', expired), packetId: 1 })
    await store.insertMessage(key, { ...publication('begun', { ...expired, qos: 2 }), packetId: 2 })
    await store.leave(key, 60)
    await store.insertForOthers([toReceiver(key)], publication('waiting', { ...expired, qos: 2 }))
    await store.insertForOthers([toReceiver(key)], publication('good', { expiresAtMs: Date.now() + 60_000 }))
    const { messages } = await store.open(openRequest(client))
    expect(messages.map(({ topic }) => topic)).toEqual(['sent', 'begun', 'good'])
  })
})

describe('retained messages', () => {
  const list = async () =>
    (await store.listRetained(client)).map(({ topic, payload }) => [topic, String(payload)])

  test('the last one of a topic counts, and an empty payload deletes', async () => {
    const put = (topic: string, text: string) =>
      store.putRetained(client, publication(topic, { payload: Buffer.from(text), retain: true }))
    expect(
      await Promise.all([put('a', '1'), put('b', '1'), put('a', '2'), put('b', ''), put('c', '3')]),
    ).toEqual([true, true, true, true, true])
    expect(await list()).toEqual([
      ['a', '2'],
      ['c', '3'],
    ])
    await put('a', '')
    await store.putRetained(client, publication('gone', { expiresAtMs: Date.now() - 1 }))
    expect(await store.listRetained(client)).toMatchObject([{ topic: 'c', qos: 1, retain: true }])
  })

  test('are limited to 100 topics and 1 MiB of a client', async () => {
    const put = (topic: string, bytes: number) =>
      store.putRetained(client, publication(topic, { payload: Buffer.alloc(bytes, 1) }))
    const outcomes = await Promise.all(Array.from({ length: 101 }, (_, index) => put(`${index}`, 1)))
    expect(outcomes.filter((isStored) => !isStored)).toHaveLength(1)
    expect(await put('0', 2)).toBe(true)
    expect(await put('1', 1024 * 1024)).toBe(false)
    expect(await put('1', 1024 * 1024 - 100)).toBe(true)
    expect(await put('2', 3)).toBe(false)
    await put('1', 0)
    expect(await put('another', 3)).toBe(true)
  })

  test('one that PostgreSQL refuses fails alone', async () => {
    const outcomes = await Promise.allSettled(
      ['a', 'nul \0', 'b'].map((topic) => store.putRetained(client, publication(topic))),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })
})

test('nothing remains of a deleted client', async () => {
  const tables = ['mqtt_sessions', 'mqtt_session_messages', 'mqtt_session_received', 'mqtt_retained_messages']
  const count = () => Promise.all(tables.map(countRows))
  const before = await count()
  const { key } = await store.open(openRequest(client))
  await store.insertMessage(key, { ...publication('a'), packetId: 1 })
  await store.insertReceived(key, 1)
  await store.putRetained(client, publication('a'))
  expect(await count()).toEqual(before.map((rows) => rows + 1))
  await world.database.pool.query('delete from provider_clients where number = $1', [client])
  expect(await count()).toEqual(before)
  await expect(store.insertReceived(key, 2)).rejects.toThrow(SessionLostError)
})
