/** Three nodes whose messages are delivered in any order, except that each sender's stay in theirs, as by NATS. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Subscription, Watchers } from '../state.ts'
import {
  announce,
  announcePeriodically,
  receiveAnnouncement,
  receiveArrival,
  watch,
} from './announcements.ts'
import { publishToNodes } from './publish-to-nodes.ts'
import { allSubject, announcementSubject, arrivalSubject, type Relay, samplesSubject } from './relay-state.ts'
import { addWatcher, deleteWatcher } from './watchers.ts'

const NODES = ['one', 'two', 'three']
const TENANTS = ['here', 'there']
const MAX_NODES = 6
/** After this time, a node knows what the others want. */
const SOME_TIME_MS = 10_000

interface TestNode {
  relay: Relay
  watchers: Watchers
  /** Samples that reached it. */
  received: Set<string>
  /** Its subscriptions; it counts on their samples once the others have confirmed. */
  subscriptions: { subscription: Subscription; isAcknowledged: boolean }[]
}

function makeCluster() {
  const nodes: TestNode[] = []
  /** Messages on their way, by sender and receiver. */
  const ways = new Map<string, { receiver: TestNode; subject: string; payload: string }[]>()
  const makeNode = (id: string): TestNode => {
    const watchers: Watchers = new Map()
    const publish = (subject: string, payload: string | Buffer) => {
      for (const receiver of nodes) {
        if (receiver.relay === relay) continue
        const way = ways.get(`${id} ${receiver.relay.ctx.nodes.id}`) ?? []
        ways.set(`${id} ${receiver.relay.ctx.nodes.id}`, way)
        way.push({ receiver, subject, payload: String(payload) })
      }
    }
    const relay = {
      ctx: { nodes: { id, peers: { exist: true } }, push: { watchers } },
      nats: { publish, info: { max_payload: 8192 }, isClosed: () => false, protocol: { transport: {} } },
      prefix: 'test',
      isLost: false,
      nodes: new Map(),
      joinedAtMs: performance.now() - SOME_TIME_MS,
      interest: new Map(),
      announced: 0,
      arrived: Promise.resolve(),
      waiting: [],
    } as unknown as Relay
    return { relay, watchers, received: new Set(), subscriptions: [] }
  }
  const deliver = (index: number) => {
    const waiting = [...ways.values()].filter((way) => way.length > 0)
    const next = waiting[index % waiting.length]?.shift()
    if (next) receive(next.receiver, next.subject, next.payload)
    return next !== undefined
  }
  const deliverAll = () => {
    while (deliver(0));
  }
  /** Adds a node that knows nothing of the others yet. */
  const join = () => {
    const node = makeNode(`joined ${nodes.length}`)
    node.relay.joinedAtMs = performance.now()
    nodes.push(node)
    announce(node.relay, { isNew: true })
  }
  nodes.push(...NODES.map(makeNode))
  for (const { relay } of nodes) announce(relay, { isNew: true })
  deliverAll()
  return { nodes, join, deliver, deliverAll }
}

function receive({ relay, received }: TestNode, subject: string, payload: string): void {
  const { id } = relay.ctx.nodes
  const message = { subject, json: () => JSON.parse(payload) } as never
  if (subject === announcementSubject(relay)) receiveAnnouncement(relay, message)
  if (subject === arrivalSubject(relay, id)) receiveArrival(relay, message)
  if ([samplesSubject(relay, id), allSubject(relay)].includes(subject))
    for (const { tenantId, ownerId, value } of JSON.parse(payload))
      received.add(`${tenantId} ${ownerId} ${value}`)
}

function subscribe({ relay, watchers, subscriptions }: TestNode, tenantId: string, ownerId: string) {
  const owners = [{ ownerType: 'asset', ownerId }]
  const subscription = { tenantId, topic: 'telemetry', owners } as Subscription
  addWatcher(watchers, subscription)
  const added = { subscription, isAcknowledged: false }
  subscriptions.push(added)
  const startedMs = performance.now()
  // After a second it is waited for no longer, which is no promise.
  void watch(relay, subscription).then(() => (added.isAcknowledged = performance.now() - startedMs < 900))
}

function unsubscribe({ watchers, subscriptions }: TestNode, index: number) {
  const [removed] = subscriptions.splice(index % (subscriptions.length || 1), 1)
  if (removed) deleteWatcher(watchers, removed.subscription)
}

const publish = ({ relay }: TestNode, tenantId: string, ownerId: string, value: number) =>
  publishToNodes(relay, [{ tenantId, ownerId, value, ownerType: 'asset' } as never])

const step = fc.record({
  kind: fc.constantFrom(
    'subscribe',
    'unsubscribe',
    'publish',
    'publish',
    'announce',
    'deliver',
    'deliver',
    'deliver',
    'join',
  ),
  node: fc.nat(20),
  tenant: fc.constantFrom(...TENANTS),
  owner: fc.constantFrom('pump', 'valve', 'tank', 'gauge'),
  index: fc.nat(20),
})

test('a subscriber misses no sample that is published after the others have confirmed what it watches', async () => {
  let expected = 0
  const run = async (
    steps: { kind: string; node: number; tenant: string; owner: string; index: number }[],
  ) => {
    const { nodes, join, deliver, deliverAll } = makeCluster()
    const promised: [TestNode, string][] = []
    for (const [value, { kind, node: at, tenant, owner, index }] of steps.entries()) {
      if (kind === 'join' && nodes.length < MAX_NODES) join()
      const node = nodes[at % nodes.length]!
      if (kind === 'subscribe') subscribe(node, tenant, owner)
      if (kind === 'unsubscribe') unsubscribe(node, index)
      if (kind === 'announce') announcePeriodically(node.relay)
      if (kind === 'deliver') for (let more = index; more > 0; more--) deliver(more * 7)
      await new Promise(setImmediate)
      if (kind !== 'publish') continue
      for (const other of nodes)
        if (other !== node && other.subscriptions.some(isPromised(tenant, owner)))
          promised.push([other, `${tenant} ${owner} ${value}`])
      publish(node, tenant, owner, value)
    }
    deliverAll()
    expected += promised.length
    expect(
      promised.filter(([node, sample]) => !node.received.has(sample)).map(([, sample]) => sample),
    ).toEqual([])
  }
  const steps = fc.array(step, { minLength: 100, maxLength: 300, size: 'max' })
  // Chance decides how many samples a node counts on.
  for (let round = 0; round < 10; round++) {
    await fc.assert(fc.asyncProperty(steps, run), { numRuns: 60 })
    if (expected > 50) break
  }
  expect(expected).toBeGreaterThan(50)
})

const isPromised =
  (tenantId: string, ownerId: string) =>
  ({ subscription, isAcknowledged }: TestNode['subscriptions'][number]) =>
    isAcknowledged && subscription.tenantId === tenantId && subscription.owners[0]!.ownerId === ownerId

test('a node receives samples of what it watches, only of that tenant, and none after it has announced again', () => {
  const { nodes, deliverAll } = makeCluster()
  const [one, two] = nodes as [TestNode, TestNode]
  const publishAll = (value: number) => {
    for (const tenant of TENANTS) for (const owner of ['pump', 'valve']) publish(two, tenant, owner, value)
    deliverAll()
  }
  subscribe(one, 'here', 'pump')
  deliverAll()
  publishAll(1)
  expect([...one.received]).toEqual(['here pump 1'])
  unsubscribe(one, 0)
  announcePeriodically(one.relay)
  deliverAll()
  publishAll(2)
  expect([...one.received]).toEqual(['here pump 1'])
  expect(nodes[2]!.received.size).toBe(0)
})

test('a node that leaves is not waited for', async () => {
  const one = makeCluster().nodes[0]!
  subscribe(one, 'here', 'pump')
  expect(one.relay.waiting).toHaveLength(1)
  receiveAnnouncement(one.relay, leaving('two'))
  expect(one.relay.waiting).toHaveLength(1)
  receiveAnnouncement(one.relay, leaving('three'))
  expect(one.relay.waiting).toEqual([])
  await one.relay.arrived
  expect(one.subscriptions[0]!.isAcknowledged).toBe(true)
})

const leaving = (nodeId: string) =>
  ({ json: () => ({ nodeId, number: 9, interest: [], isLeaving: true }) }) as never
