/** Messages between nodes by a real NATS, which fails and comes back. */
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '../../test/harness/database.ts'
import { testLog } from '../../test/harness/log.ts'
import { type NatsServer, skipWithoutNats, startNats } from '../../test/harness/nats-server.ts'
import { startSilentProxy } from '../../test/harness/silent-proxy.ts'
import { parseNatsUrl } from '../lib/nats-url.ts'
import { channel } from './channel.ts'
import { createNatsTransport } from './nats-transport.ts'

const skip = skipWithoutNats('messages between nodes by NATS')
const HEARTBEAT_MS = 100

interface Change {
  number: number
}
const changes = channel<Change>('gangway_test_changes')
interface Order {
  clientId: string
}
const orders = channel<Order>('gangway_test_orders', { findOwner: ({ clientId }) => clientId })

let database: TestDatabase
let nats: NatsServer
beforeAll(async () => {
  if (skip) return
  database = await testDatabase()
  nats = await startNats()
})
afterAll(async () => {
  await nats?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

/** A node that has joined. @param url of NATS, or of a proxy in front of it */
async function startNode({ url = nats.url, at = database, id = 'node' } = {}) {
  const { pool, db } = at
  const settings = { natsUrl: parseNatsUrl(url) }
  const transport = createNatsTransport({ settings, pool, db, log: testLog, heartbeatMs: HEARTBEAT_MS })
  const received: number[] = []
  const onReconnect = vi.fn<() => void>()
  const ctx = { nodes: { id, transport } }
  changes.subscribe(ctx, { onMessage: ({ number }) => void received.push(number), onReconnect })
  const ordered: string[] = []
  orders.subscribe(ctx, { onMessage: ({ clientId }) => void ordered.push(clientId) })
  const joined = await transport.connect(async () => {})
  const stop = () => joined[Symbol.asyncDispose]()
  return {
    transport,
    received,
    ordered,
    onReconnect,
    stop,
    order: (...clientIds: string[]) =>
      orders.publish(ctx, db, ...clientIds.map((clientId) => ({ clientId }))),
    publish: (...numbers: number[]) => changes.publish(ctx, db, ...numbers.map((number) => ({ number }))),
    publishIn: (tx: typeof db, number: number) => changes.publish(ctx, tx, { number }),
  }
}

async function startNodes(count: number) {
  const nodes = []
  for (let index = 0; index < count; index++) {
    const node = await startNode()
    onTestFinished(node.stop)
    nodes.push(node)
  }
  return nodes as [Started, Started, Started]
}
type Started = Awaited<ReturnType<typeof startNode>>

/** The messages that pass NATS. */
async function watchNats() {
  const connection = await connect({ servers: nats.url })
  onTestFinished(() => connection.close())
  const messages: string[] = []
  connection.subscribe('gangway.*.all.gangway_test_changes', {
    callback: (_error, message) => void messages.push(message.string()),
  })
  await connection.flush()
  return messages
}

test.skipIf(skip)('each node receives the messages of each other in order, and its own', async () => {
  const nodes = await startNodes(3)
  const passed = await watchNats()
  const numbers = [...Array(500).keys()]
  for (const number of numbers) await nodes[0].publish(number)
  for (const { received } of nodes) await vi.waitFor(() => expect(received).toEqual(numbers))
  await vi.waitFor(() => expect(passed).toHaveLength(500))
})

test.skipIf(skip)('a message of a transaction comes after its commit, and not after a rollback', async () => {
  const [here, there] = await startNodes(2)
  await database.db.transaction().execute(async (tx) => {
    await here.publishIn(tx, 1)
    await here.publish(0)
    await vi.waitFor(() => expect(there.received).toEqual([0]))
  })
  const failed = database.db.transaction().execute(async (tx) => {
    await here.publishIn(tx, 404)
    throw new Error('rolled back')
  })
  await expect(failed).rejects.toThrow('rolled back')
  await here.publish(2)
  await vi.waitFor(() => expect(there.received).toEqual([0, 1, 2]))
})

test.skipIf(skip)('two installations on one NATS do not receive the messages of each other', async () => {
  const [here, there] = await startNodes(2)
  await using another = await testDatabase()
  const stranger = await startNode({ at: another })
  await stranger.publish(1)
  await here.publish(2)
  await vi.waitFor(() => expect([there.received, stranger.received]).toEqual([[2], [1]]))
  await stranger.stop()
})

test.skipIf(skip)('a message to a client reaches only nodes with an interest in it', async () => {
  const [here, there] = await startNodes(2)
  const ids = ['plain', 'with.dot', '*', '>', 'pump 7', 'Ünïcødé 🚰', 'x'.repeat(128)]
  for (const id of ids) here.transport.interests.add(id)
  there.transport.interests.add('plain')
  await Promise.all([here, there].map(({ transport }) => transport.interests.settled()))
  await there.order(...ids, 'unknown', 'with', '')
  await there.publish(1)
  for (const { received } of [here, there]) await vi.waitFor(() => expect(received).toEqual([1]))
  expect(here.ordered).toEqual(ids)
  expect(there.ordered).toEqual(['plain'])

  here.transport.interests.delete('plain')
  here.transport.interests.delete('never added')
  await here.transport.interests.settled()
  await here.order('plain', '>')
  await here.publish(2)
  for (const { received } of [here, there]) await vi.waitFor(() => expect(received).toEqual([1, 2]))
  expect(here.ordered.slice(ids.length)).toEqual(['>'])
  expect(there.ordered).toEqual(['plain', 'plain'])
})

test.skipIf(skip)('an interest is settled once messages arrive, and survives a break of NATS', async () => {
  const [here, there] = await startNodes(2)
  for (let count = 0; count < 200; count++) {
    here.transport.interests.add(`device-${count}`)
    await here.transport.interests.settled()
    await there.order(`device-${count}`)
  }
  await vi.waitFor(() => expect(here.ordered).toHaveLength(200))
  await nats.kill()
  await vi.waitFor(() => expect(here.transport.isConnected()).toBe(false))
  here.transport.interests.add('during the break')
  // What cannot be settled now does not hold up those who wait.
  await here.transport.interests.settled()
  await nats.start()
  for (const { transport } of [here, there])
    await vi.waitFor(() => expect(transport.isConnected()).toBe(true))
  await here.transport.interests.settled()
  here.ordered.length = 0
  await there.order('device-7', 'during the break')
  await vi.waitFor(() => expect(here.ordered).toEqual(['device-7', 'during the break']))
})

test.skipIf(skip)('without NATS the database carries the messages; with NATS again NATS does', async () => {
  const nodes = await startNodes(2)
  const [here, there] = nodes
  const isConnected = () => nodes.map(({ transport }) => transport.isConnected())
  expect(isConnected()).toEqual([true, true])
  await nats.kill()
  await vi.waitFor(() => expect(isConnected()).toEqual([false, false]))
  await here.publish(1)
  await database.db.transaction().execute((tx) => there.publishIn(tx, 2))
  for (const { received } of nodes) await vi.waitFor(() => expect(received).toEqual([1, 2]))

  nodes.forEach(({ onReconnect }) => onReconnect.mockClear())
  await nats.start()
  await vi.waitFor(() => expect(isConnected()).toEqual([true, true]))
  for (const { onReconnect } of nodes) await vi.waitFor(() => expect(onReconnect).toHaveBeenCalled())
  const passed = await watchNats()
  // Until the others know that each node has NATS again, the database carries the messages.
  let number = 2
  await vi.waitFor(async () => {
    await here.publish(++number)
    await sleep(10)
    expect(passed.length).toBeGreaterThan(0)
  })
  for (const { received } of nodes)
    await vi.waitFor(() =>
      expect(received.toSorted((a, b) => a - b)).toEqual(Array.from({ length: number }, (_, i) => i + 1)),
    )
})

test.skipIf(skip)('while a node does not use NATS the database carries the messages', async () => {
  const [here, there] = await startNodes(2)
  const passed = await watchNats()
  here.transport.setPeersWithoutNats(new Set(['earlier version']))
  await here.publish(1)
  await vi.waitFor(() => expect(there.received).toEqual([1]))
  expect(passed).toEqual([])
  here.transport.setPeersWithoutNats(new Set())
  await here.publish(2)
  await vi.waitFor(() => expect(there.received).toEqual([1, 2]))
  await vi.waitFor(() => expect(passed).toHaveLength(1))
})

test.skipIf(skip)('a node that alone has lost NATS misses nothing that the others publish', async () => {
  await using proxy = await startSilentProxy(nats.url)
  const cutOff = await startNode({ url: proxy.url })
  const [other] = await startNodes(1)
  other.onReconnect.mockClear()
  const road = proxy.refuseAll()
  await vi.waitFor(() => expect(cutOff.transport.isConnected()).toBe(false))
  cutOff.onReconnect.mockClear()
  // It reads what was published before the other knew.
  await vi.waitFor(() => expect(cutOff.onReconnect).toHaveBeenCalled())
  expect(other.transport.isConnected()).toBe(true)
  await other.publish(1)
  await cutOff.publish(2)
  // It reads what the cut-off node published before it noticed.
  await vi.waitFor(() => expect(other.onReconnect).toHaveBeenCalled())
  for (const { received } of [cutOff, other]) await vi.waitFor(() => expect(received).toEqual([1, 2]))

  road.back()
  cutOff.onReconnect.mockClear()
  await vi.waitFor(() => expect(cutOff.transport.isConnected()).toBe(true))
  await vi.waitFor(() => expect(cutOff.onReconnect).toHaveBeenCalled())
  await cutOff.stop()
})

test.skipIf(skip)(
  'a connection to NATS that goes silent is replaced, and the node reads what it missed',
  async () => {
    await using proxy = await startSilentProxy(nats.url)
    const node = await startNode({ url: proxy.url })
    onTestFinished(node.stop)
    const connections = proxy.count()
    node.onReconnect.mockClear()
    proxy.silence()
    await vi.waitFor(() => expect(proxy.count()).toBeGreaterThan(connections))
    await vi.waitFor(() => expect(node.onReconnect).toHaveBeenCalled())
    await vi.waitFor(() => expect(node.transport.isConnected()).toBe(true))
  },
)

test.skipIf(skip)(
  'a NATS that takes nothing any more is lost before much waits in memory, and the database carries on',
  async () => {
    await using proxy = await startSilentProxy(nats.url)
    const stuck = await startNode({ url: proxy.url })
    onTestFinished(stuck.stop)
    const [other] = await startNodes(1)
    other.onReconnect.mockClear()
    const connections = proxy.count()
    proxy.stopReading()
    const address = { name: 'gangway_test_changes', isByDatabase: false }
    const payload = JSON.stringify({ number: 0, filling: 'x'.repeat(6000) })
    for (let count = 0; count < 10_000 && stuck.transport.isConnected(); count++)
      await stuck.transport.publish(database.db, address, [{ payload, owner: undefined }])
    expect(stuck.transport.isConnected()).toBe(false)
    await stuck.publish(1)
    await vi.waitFor(() => expect(other.received).toContain(1))
    await vi.waitFor(() => expect(other.onReconnect).toHaveBeenCalled())
    await vi.waitFor(() => expect(proxy.count()).toBeGreaterThan(connections))
    await vi.waitFor(() => expect(stuck.transport.isConnected()).toBe(true))
  },
)

test.skipIf(skip)('a node leaves while NATS hangs', async () => {
  await using proxy = await startSilentProxy(nats.url)
  const node = await startNode({ url: proxy.url })
  const connections = proxy.count()
  const held = proxy.holdNew()
  const road = proxy.refuseAll()
  await vi.waitFor(() => expect(node.transport.isConnected()).toBe(false))
  road.back()
  // It waits for the greeting of NATS.
  await vi.waitFor(() => expect(proxy.count()).toBeGreaterThan(connections))
  await node.stop()
  held.back()
})

test.skipIf(skip)(
  'when a node is killed, the others read what it may have committed unannounced',
  async () => {
    await using proxy = await startSilentProxy(nats.url)
    const [here] = await startNodes(1)
    const killed = await startNode({ url: proxy.url })
    const orderly = await startNode()
    await killed.publish(1)
    await orderly.publish(2)
    await vi.waitFor(() => expect(here.received.toSorted()).toEqual([1, 2]))
    here.onReconnect.mockClear()
    await orderly.stop()
    // As if the process was gone: it says nothing any more, by NATS or the database.
    proxy.silenceAll()
    await vi.waitFor(() => expect(here.onReconnect).toHaveBeenCalledTimes(1))
    await killed.stop()
  },
)

test.skipIf(skip)('a message of another program is ignored', async () => {
  const [here, there] = await startNodes(2)
  const connection = await connect({ servers: nats.url })
  const subjects = new Set<string>()
  connection.subscribe('gangway.>', { callback: (_error, { subject }) => void subjects.add(subject) })
  await connection.flush()
  await here.publish(1)
  await vi.waitFor(() => expect([...subjects].some((subject) => subject.endsWith('changes'))).toBe(true))
  for (const subject of subjects)
    for (const payload of ['', 'x', 'stranger 1 no JSON', 'stranger x {}', '\u0000', 'x'.repeat(100_000)])
      connection.publish(subject, payload)
  await connection.flush()
  await connection.close()
  await here.publish(2)
  await vi.waitFor(() => expect(there.received).toEqual([1, 2]))
})

test.skipIf(skip)('a NATS that cannot carry the messages is refused with the reason', async () => {
  await using narrow = await startNats({ config: 'max_payload: 4096' })
  const { pool, db } = database
  const join = (url: string) =>
    createNatsTransport({
      settings: { natsUrl: parseNatsUrl(url) },
      pool,
      db,
      log: testLog,
      patienceMs: 0,
    }).connect(async () => {})
  await expect(join(narrow.url)).rejects.toThrow('its max_payload is 4096, but has to be 8192 or more')
  const user = (permissions: string) =>
    `authorization { users: [{ user: u, password: p, permissions: { ${permissions} } }] }`
  for (const permissions of ['publish: "gangway.>", subscribe: "_INBOX.>"', 'publish: "x", subscribe: ">"']) {
    await using closed = await startNats({ config: user(permissions) })
    await expect(join(closed.url.replace('//', '//u:p@'))).rejects.toThrow(
      /has to be allowed to publish and to subscribe to gangway\.[0-9a-f]{16}\.>/,
    )
  }
})
