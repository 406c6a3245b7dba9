/** Stored sessions on several nodes, over faults of the database, and their expiry. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { recordStatements } from '../../../../test/harness/executed-statements.ts'
import {
  openRequest,
  publication,
  startStoreWorld,
  type StoreNode,
  type StoreWorld,
  toReceiver,
} from '../../../../test/harness/stored-sessions.ts'
import { expireStoredSessions } from './expire.ts'
import { SessionLostError } from './stored-sessions.ts'

let world: StoreWorld
let here: StoreNode
let there: StoreNode
let client: number
beforeAll(async () => {
  world = await startStoreWorld()
  here = await world.startNode()
  there = await world.startNode()
  await vi.waitUntil(() => here.nodes.peers.exist && there.nodes.peers.exist)
})
beforeEach(async () => {
  client = (await world.makeClients(1))[0]!
})
afterAll(async () => {
  await here[Symbol.asyncDispose]()
  await there[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const query = (text: string, values: unknown[] = []) => world.database.pool.query(text, values)
const clientEvents = (node: StoreNode) => node.events.filter((event) => event === `client ${client}`)
const sessionEvents = (node: StoreNode, number: number) =>
  node.events.filter((event) => [`lost ${number}`, `messages ${number}`].includes(event))

describe('two nodes', () => {
  test('a session moves: the former owner is notified, and none of its writes counts', async () => {
    const { key } = await here.store.open(openRequest(client))
    const stored = await here.store.insertMessage(key, { ...publication('a'), packetId: 1 })
    // The message of the other node is not handled yet when these writes arrive.
    const moving = there.store.open(openRequest(client))
    const outcomes = await moving.then(() =>
      Promise.allSettled([
        here.store.deleteMessage(key, stored),
        here.store.insertMessage(key, { ...publication('b'), packetId: 2 }),
        here.store.saveSubscriptions(key, []),
        here.store.leave(key, 0),
      ]),
    )
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: expect.any(SessionLostError) })
    const moved = await there.store.open(openRequest(client))
    expect(moved.messages.map(({ topic }) => topic)).toEqual(['a'])
    expect(sessionEvents(there, key.number)).toEqual([])
  })

  test('an idle former owner is notified once, and not of its own later opening', async () => {
    const { key } = await here.store.open(openRequest(client))
    await there.store.open(openRequest(client))
    await expect.poll(() => sessionEvents(here, key.number)).toEqual([`lost ${key.number}`])
    await here.store.open(openRequest(client))
    await expect.poll(() => sessionEvents(there, key.number)).toEqual([`lost ${key.number}`])
    expect(sessionEvents(here, key.number)).toEqual([`lost ${key.number}`])
    await there.store.remove(client, 'main')
    await expect.poll(() => sessionEvents(here, key.number)).toHaveLength(2)
  })

  test('a session with expiry 0 ends with its node, before a job notices', async () => {
    const dying = await world.startNode()
    const opened = await dying.store.open(openRequest(client, { expirySeconds: 0 }))
    await dying.store.insertMessage(opened.key, { ...publication('a'), packetId: 1 })
    const [other] = await world.makeClients(1)
    await dying.store.open(openRequest(other!))
    await dying.die()
    const fresh = await here.store.open(openRequest(client, { expirySeconds: 0 }))
    expect(fresh).toMatchObject({ isResumed: false, messages: [] })
    expect(fresh.key.number).not.toBe(opened.key.number)
    expect(await here.store.open(openRequest(other!))).toMatchObject({ isResumed: true })
    // That of a node that lives goes on.
    expect(await there.store.open(openRequest(client))).toMatchObject({ isResumed: true })
  })

  test('a write that is stale fails alone in its batch', async () => {
    const [other] = await world.makeClients(1)
    const { key } = await here.store.open(openRequest(client))
    const second = await here.store.open(openRequest(other!))
    await query('update mqtt_sessions set generation = generation + 1 where number = $1', [key.number])
    const outcomes = await Promise.allSettled([
      here.store.insertReceived(second.key, 1),
      here.store.insertReceived(key, 1),
      here.store.insertReceived(second.key, 2),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    await query('update mqtt_sessions set generation = generation - 1 where number = $1', [key.number])
  })

  test('messages for a session at another node arrive there', async () => {
    const { key } = await there.store.open(openRequest(client))
    for (const topic of ['a', 'b']) await here.store.insertForOthers([toReceiver(key)], publication(topic))
    await expect.poll(() => sessionEvents(there, key.number)).toContain(`messages ${key.number}`)
    const taken = await there.store.takeNewMessages(key, new Set())
    expect(taken.map(({ topic }) => topic)).toEqual(['a', 'b'])
    expect(sessionEvents(here, key.number)).toEqual([])
  })

  test('changes of sessions, subscriptions and retained messages reach the other node', async () => {
    const expectEvents = async (count: number) => {
      await expect.poll(() => clientEvents(there)).toEqual(Array(count).fill(`client ${client}`))
    }
    const { key } = await here.store.open(openRequest(client))
    await expectEvents(1)
    await here.store.saveSubscriptions(key, [
      { filter: 'a', qos: 1, noLocal: false, retainAsPublished: false },
    ])
    await expectEvents(2)
    expect(await there.store.list(client)).toMatchObject([
      { number: key.number, clientId: 'main', subscriptions: [{ filter: 'a' }] },
    ])
    await here.store.putRetained(client, publication('a'))
    await expectEvents(3)
    await here.store.leave(key, 60)
    await here.store.open(openRequest(client, { cleanStart: true }))
    await expectEvents(4)
    expect(clientEvents(here)).toEqual([])
  })

  test('a node catches up on what it missed while its connection was lost', async () => {
    const [other, third] = await world.makeClients(2)
    const lost = await here.store.open(openRequest(client))
    const kept = await here.store.open(openRequest(other!))
    const left = await here.store.open(openRequest(third!))
    await query('update mqtt_sessions set generation = generation + 1 where number = $1', [lost.key.number])
    await query(
      `insert into mqtt_session_messages (session_number, topic, payload, qos, retain) values ($1, 'a', '', 1, false)`,
      [kept.key.number],
    )
    // A job does this while the node seems dead. Other nodes then store messages for the session without a notice.
    await query(
      'update mqtt_sessions set node_id = null, disconnected_at = now(), expires_at = now() where number = $1',
      [left.key.number],
    )
    await there.store.insertForOthers([toReceiver(left.key)], publication('a'))
    here.events.length = 0
    await query(
      `select pg_terminate_backend(pid) from pg_locks
       where locktype = 'advisory' and classid = 1734438503 and database = (select oid from pg_database where datname = current_database())`,
    )
    await expect.poll(() => here.events).toContain('any client')
    await expect.poll(() => here.events).toContain(`lost ${lost.key.number}`)
    await expect.poll(() => here.events).toContain(`messages ${kept.key.number}`)
    await expect.poll(() => here.events).toContain(`messages ${left.key.number}`)
    const { rows } = await query('select node_id, expires_at from mqtt_sessions where number = $1', [
      left.key.number,
    ])
    expect(rows).toEqual([{ node_id: here.nodes.id, expires_at: null }])
  })
})

describe('a lost answer to a commit', () => {
  /** Fails after the next commits, as where the connection breaks before the answer arrives. */
  function loseAnswers(count: number) {
    let left = count
    const { db } = world.database
    return new Proxy(db, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (name !== 'transaction') return typeof member === 'function' ? member.bind(target) : member
        return () => ({
          execute: async (work: Parameters<ReturnType<typeof db.transaction>['execute']>[0]) => {
            const value = await target.transaction().execute(work)
            if (left-- > 0) throw new Error('Connection terminated unexpectedly')
            return value
          },
        })
      },
    })
  }

  test('neither doubles nor loses a write, nor fails it', async () => {
    for (let lost = 1; lost <= 4; lost++) {
      const [number] = await world.makeClients(1)
      await using node = await world.startNode(loseAnswers(lost))
      const { key, isResumed } = await node.store.open(openRequest(number!))
      expect([isResumed, key.generation]).toEqual([false, 1])
      const stored = await node.store.insertMessage(key, { ...publication('own'), packetId: 1 })
      await node.store.insertForOthers([toReceiver(key)], publication('of another'))
      expect(await node.store.takeNewMessages(key, new Set([1]))).toMatchObject([{ packetId: 2 }])
      await node.store.deleteMessage(key, stored)
      await node.store.leave(key, 60)
      const again = await node.store.open(openRequest(number!))
      expect(again.messages.map(({ topic, packetId }) => [topic, packetId])).toEqual([['of another', 2]])
      await node.store.leave(again.key, 0)
    }
  })
})

test('writes survive connections that the database ends', async () => {
  const clients = await world.makeClients(20)
  const opened = await Promise.all(clients.map((number) => here.store.open(openRequest(number))))
  const breaking = (async () => {
    for (let round = 0; round < 5; round++) {
      await query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and query ilike '%mqtt_session%' and pid <> pg_backend_pid()`,
      ).catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
  })()
  await Promise.all(
    opened.map(async ({ key }) => {
      for (let packetId = 1; packetId <= 20; packetId++)
        await here.store.insertMessage(key, { ...publication(`${packetId}`), packetId })
    }),
  )
  await breaking
  const resumed = await Promise.all(clients.map((number) => here.store.open(openRequest(number))))
  for (const { messages } of resumed)
    expect(messages.map(({ topic }) => topic)).toEqual(
      Array.from({ length: 20 }, (_, index) => `${index + 1}`),
    )
})

describe('expiry', () => {
  const expire = () => expireStoredSessions({ ...world.database, nodes: here.nodes })
  const letPass = (number: number) =>
    query(`update mqtt_sessions set expires_at = expires_at - interval '1 hour' where number = $1`, [number])

  test('an expired session is absent at once, and deleted by the job, which notifies all nodes', async () => {
    const { key } = await here.store.open(openRequest(client))
    await here.store.leave(key, 3600)
    await expire()
    expect(await here.store.list(client)).toHaveLength(1)
    await letPass(key.number)
    expect(await here.store.list(client)).toEqual([])
    await expire()
    expect((await query('select from mqtt_sessions where number = $1', [key.number])).rowCount).toBe(0)
    for (const node of [here, there]) await expect.poll(() => node.events.at(-1)).toBe(`client ${client}`)
    const fresh = await here.store.open(openRequest(client))
    expect(fresh.isResumed).toBe(false)
    await here.store.leave(fresh.key, 3600)
    await letPass(fresh.key.number)
    expect((await there.store.open(openRequest(client))).isResumed).toBe(false)
  })

  test('the sessions of nodes that work are not locked', async () => {
    await there.store.open(openRequest(client))
    await expire()
    using recorder = recordStatements()
    await expire()
    const updates = [...recorder.texts].filter((text) =>
      text.includes('update mqtt_sessions set node_id = null'),
    )
    expect(updates).toEqual([])
  })

  test('sessions of a node that died are left; those of a living one stay', async () => {
    const [other] = await world.makeClients(1)
    const dying = await world.startNode()
    const { key } = await dying.store.open(openRequest(client, { expirySeconds: 1800 }))
    const living = await there.store.open(openRequest(other!))
    await dying.die()
    await expect
      .poll(async () => {
        await expire()
        const { rows } = await query(
          `select node_id, extract(epoch from expires_at - disconnected_at)::int as seconds
           from mqtt_sessions where number = any($1) order by number`,
          [[key.number, living.key.number]],
        )
        return rows
      })
      .toEqual([
        { node_id: null, seconds: 1800 },
        { node_id: there.nodes.id, seconds: null },
      ])
  })

  test('expired messages and retained messages are deleted', async () => {
    const { key } = await here.store.open(openRequest(client))
    const expired = publication('a', { expiresAtMs: Date.now() - 1000 })
    await here.store.insertForOthers([toReceiver(key)], expired)
    await here.store.putRetained(client, expired)
    await expire()
    const { rows } = await query(
      `select (select count(*)::int from mqtt_session_messages where expires_at < now() and packet_id is null) as messages,
         (select count(*)::int from mqtt_retained_messages where expires_at < now()) as retained`,
    )
    expect(rows).toEqual([{ messages: 0, retained: 0 }])
  })
})
