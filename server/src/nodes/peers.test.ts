import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { testDatabase, type TestDatabase } from '../../test/harness/database.ts'
import { testLog } from '../../test/harness/log.ts'
import { holdNodeLock } from './node-lock.ts'
import { createPostgresTransport } from './postgres-transport.ts'
import { createPeers } from './peers.ts'
import type { Transport } from './transport.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

/** A node, as seen by others. */
async function start(id: string, { usesNats = false } = {}) {
  const { pool, db } = database
  let withoutNats: string[] = []
  const transport: Transport = {
    ...createPostgresTransport({ pool, log: testLog }),
    usesNats,
    setPeersWithoutNats: (nodeIds) => (withoutNats = [...nodeIds]),
  }
  const peers = createPeers({ db, nodes: { id, transport } })
  const met = vi.fn<() => void>()
  peers.onMet.push(met)
  let pid = 0
  let count = () => Promise.resolve()
  const joined = await transport.connect(async (client) => {
    pid = (await client.query('select pg_backend_pid() as pid')).rows[0].pid
    count = () => peers.count(client)
    await holdNodeLock(client, id)
    await peers.greet(client)
  })
  const loseConnection = () => pool.query('select pg_terminate_backend($1)', [pid])
  return {
    peers,
    met,
    withoutNats: () => withoutNats,
    count: () => count(),
    loseConnection,
    stop: () => joined[Symbol.asyncDispose](),
  }
}

test('a single node knows that it is alone; two nodes know of each other until one leaves', async () => {
  const first = await start('first')
  expect(first.peers.exist).toBe(false)
  const second = await start('second')
  expect(second.peers.exist).toBe(true)
  await vi.waitFor(() => expect(second.met).toHaveBeenCalledTimes(1))
  // It knew the second node before it answered; and a new node has sent nothing to catch up on.
  expect(first.peers.exist).toBe(true)
  expect(first.met).not.toHaveBeenCalled()
  await first.count()
  expect(first.peers.exist).toBe(true)
  await second.stop()
  await vi.waitFor(async () => {
    await first.count()
    expect(first.peers.exist).toBe(false)
  })
  await first.stop()
})

test('a node that was silent for a while catches up, and so do the others', async () => {
  const [first, second] = [await start('first'), await start('second')]
  await vi.waitFor(() => expect(second.met).toHaveBeenCalledTimes(1))
  await first.loseConnection()
  await vi.waitFor(() => {
    expect(first.met).toHaveBeenCalledTimes(1)
    expect(second.met).toHaveBeenCalledTimes(2)
  })
  expect([first, second].map(({ peers }) => peers.exist)).toEqual([true, true])
  for (const one of [first, second]) await one.stop()
})

test('nodes with NATS know of those without it, whoever came first, until these are gone', async () => {
  const first = await start('first', { usesNats: true })
  const without = await start('without')
  const last = await start('last', { usesNats: true })
  for (const { withoutNats } of [first, last])
    await vi.waitFor(() => expect(withoutNats()).toEqual(['without']))
  await without.stop()
  for (const node of [first, last]) {
    await vi.waitFor(async () => {
      await node.count()
      expect(node.withoutNats()).toEqual([])
    })
    await node.stop()
  }
})

test('a node without its connection does not know its peers', async () => {
  const one = await start('one')
  expect(one.peers.exist).toBe(false)
  await one.loseConnection()
  await vi.waitFor(() => expect(one.peers.exist).toBe(true), { interval: 5 })
  await vi.waitFor(() => expect(one.peers.exist).toBe(false))
  await one.stop()
})
