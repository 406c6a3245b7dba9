import type { Kysely } from 'kysely'
import { expect, test, vi } from 'vitest'
import type { Tables } from '../database/tables.ts'
import { channel, halve } from './channel.ts'
import type { Subscription, Transport } from './transport.ts'

/** The database cannot publish over a transport that delivers at once. */
const db = {} as Kysely<Tables>

/** Nodes that receive every message of each other. */
function startNodes(...ids: string[]) {
  const payloads: string[] = []
  const subscriptions: Subscription[] = []
  const transport: Transport = {
    publish: async (_db, _channel, messages) => {
      payloads.push(...messages.map(({ payload }) => payload))
      for (const { payload } of messages) for (const { onMessage } of subscriptions) await onMessage(payload)
    },
    subscribe: (_channel, subscription) => void subscriptions.push(subscription),
    connect: () => Promise.reject(new Error('nothing to connect to')),
    interests: { add: () => {}, delete: () => {}, settled: () => Promise.resolve() },
    usesNats: false,
    setPeersWithoutNats: () => {},
    isConnected: () => true,
  }
  return { payloads, subscriptions, nodes: ids.map((id) => ({ nodes: { id, transport } })) }
}

interface Change {
  tenantId: string
  ids?: string[]
}

test('a message reaches each node, and its sender recognizes it', async () => {
  const { nodes } = startNodes('one', 'two')
  const changes = channel<Change>('changes')
  const received = nodes.map((node) => {
    const onMessage = vi.fn<() => void>()
    changes.subscribe(node, { onMessage })
    return onMessage
  })
  await changes.publish(nodes[0]!, db, { tenantId: 'a' }, { tenantId: 'b' })
  const senders = [
    { nodeId: 'one', isOwn: true },
    { nodeId: 'one', isOwn: false },
  ]
  received.forEach((onMessage, index) =>
    expect(onMessage.mock.calls).toEqual([
      [{ tenantId: 'a' }, senders[index]],
      [{ tenantId: 'b' }, senders[index]],
    ]),
  )
})

test('a message that is too large for PostgreSQL is divided without loss', async () => {
  const { nodes, payloads } = startNodes('one')
  const changes = channel<Change>('changes', { split: halve('ids') })
  const ids = Array.from({ length: 1000 }, (_, number) => `größe-${number}`)
  await changes.publish(nodes[0]!, db, { tenantId: 'a', ids })
  expect(payloads.length).toBeGreaterThan(1)
  expect(Math.max(...payloads.map((payload) => Buffer.byteLength(payload)))).toBeLessThan(8000)
  const messages = payloads.map((payload) => JSON.parse(payload))
  expect(messages.flatMap((message) => message.ids)).toEqual(ids)
  expect(new Set(messages.map(({ tenantId }) => tenantId))).toEqual(new Set(['a']))
})

test('a message that a channel shortens is sent once', async () => {
  const { nodes, payloads } = startNodes('one')
  const shorten = ({ tenantId }: Change): Change[] => [{ tenantId }]
  const changes = channel<Change>('changes', { split: shorten })
  await changes.publish(nodes[0]!, db, { tenantId: 'a', ids: ['x'.repeat(8000)] })
  expect(payloads.map((payload) => JSON.parse(payload))).toEqual([{ tenantId: 'a', nodeId: 'one' }])
})

test('a single item that is too large is refused by the transport', async () => {
  const { nodes, payloads } = startNodes('one')
  const changes = channel<Change>('changes', { split: halve('ids') })
  await changes.publish(nodes[0]!, db, { tenantId: 'a', ids: ['x'.repeat(8000)] })
  expect(payloads).toHaveLength(1)
})

test('a channel reads messages that the database publishes', async () => {
  const { nodes, subscriptions } = startNodes('one')
  const onMessage = vi.fn<() => void>()
  channel<Change>('changes', { read: (tenantId) => ({ tenantId }) }).subscribe(nodes[0]!, { onMessage })
  await subscriptions[0]!.onMessage('a')
  expect(onMessage.mock.calls).toEqual([[{ tenantId: 'a' }, { nodeId: undefined, isOwn: false }]])
})
