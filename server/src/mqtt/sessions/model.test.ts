/**
 * Random steps of a device's clients against a plain model of sessions: what was acknowledged to a publisher reaches each
 * session that has subscribed, QoS 2 exactly once, in order. A failure prints the seed and the shortest list of steps;
 * `fc.assert(…, { seed, path })` repeats it. [docs/mqtt#sessions]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startGateway, type TestDevice, type TestGateway } from '../../../test/harness/gateway.ts'
import { rounds } from '../../../test/harness/rounds.ts'
import { createSessionClient, type SessionClient } from '../../../test/harness/session-client.ts'

let gateway: TestGateway
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

const LOST_AFTER_MS = 60_000
const OFTEN = { interval: 10 }

const slot = fc.nat({ max: 2 })
const topic = fc.constantFrom('x', 'y')
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('connect'),
      slot,
      version: fc.constantFrom(4 as const, 5 as const),
      isKept: fc.boolean(),
      isClean: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('drop', 'disconnect'), slot }) },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('subscribe'),
      slot,
      topic,
      qos: fc.constantFrom(0 as const, 1 as const, 2 as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('unsubscribe'), slot, topic }) },
  {
    weight: 10,
    arbitrary: fc.record({
      does: fc.constant('publish'),
      slot,
      topic,
      qos: fc.constantFrom(0 as const, 1 as const, 2 as const),
      /** Drops its connection without waiting for the acknowledgement. */
      isCut: fc.oneof(
        { weight: 4, arbitrary: fc.constant(false) },
        { weight: 1, arbitrary: fc.constant(true) },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('withhold', 'acknowledge'), slot }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('expire'), slot }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('kill') }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
type StepOf<D> = Extract<Step, { does: D }>

interface Message {
  topic: string
  qos: number
  isAcknowledged: boolean
  /** Its connection was cut before the acknowledgement; the server may have it from then or from the next connection. */
  isCut: boolean
}

/** A session as the model has it. */
interface ModelSession {
  isKept: boolean
  subscriptions: Map<string, number>
  /** The messages that were published while it had subscribed, with the smaller QoS of both. */
  due: Map<number, number>
  /** Messages that it may receive or not: its subscription changed while they were cut. */
  optional: Set<number>
  /** The numbers of the messages that arrived, in order. */
  arrived: number[]
  /** Messages that arrived although it had not subscribed when they were published. */
  unexpected: number[]
}

/** A client id, with its connection and its session. */
interface Slot {
  client: SessionClient
  session: ModelSession | undefined
}

interface World {
  device: TestDevice
  slots: Slot[]
  /** By the number that is their payload. */
  messages: Message[]
}

test('sessions agree with the model for any sequence of actions', () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 40, size: 'max' }), async (steps) => {
      const world = await createWorld()
      try {
        for (const each of steps) await perform(world, each)
        for (const at of world.slots) await comeBack(at)
        for (const at of world.slots) expect(await findDeviations(world, at)).toEqual([])
      } finally {
        for (const { client } of world.slots) await client.drop()
        await gateway.stopKilled()
      }
    }),
    { numRuns: rounds(200, 8) },
  ))

async function createWorld(): Promise<World> {
  const device = await gateway.makeDevice()
  const world: World = { device, slots: [], messages: [] }
  for (const clientId of ['a', 'b', 'c']) {
    const at: Slot = {
      session: undefined,
      client: createSessionClient(device, clientId, (arrival) => {
        const number = Number(arrival.payload)
        if (at.session!.due.has(number)) at.session!.arrived.push(number)
        else at.session!.unexpected.push(number)
      }),
    }
    world.slots.push(at)
  }
  return world
}

async function perform(world: World, each: Step): Promise<void> {
  if (each.does === 'kill') return kill(world)
  const at = world.slots[(each as { slot: number }).slot]!
  if (each.does === 'connect') return connect(at, each as StepOf<'connect'>)
  if (each.does === 'expire') return expire(world, at)
  if (!at.client.isConnected()) return
  if (each.does === 'drop') return leave(at)
  if (each.does === 'disconnect') return disconnect(at)
  if (each.does === 'withhold' || each.does === 'acknowledge')
    return at.client.acknowledges(each.does === 'acknowledge')
  if (each.does === 'subscribe') return subscribe(world, at, each as StepOf<'subscribe'>)
  if (each.does === 'unsubscribe') return unsubscribe(world, at, each as StepOf<'unsubscribe'>)
  return publish(world, at, each as StepOf<'publish'>)
}

/** While the former connection is open, this takes its session over. */
async function connect(at: Slot, { version, isKept, isClean }: Omit<StepOf<'connect'>, 'does' | 'slot'>) {
  const { client, session } = at
  // Before MQTT 5 one flag says both, and a session that is not kept begins empty.
  const startsClean = !isKept || (version === 5 && isClean)
  const former = session?.isKept ? session : undefined
  const resumes = former !== undefined && !startsClean
  at.session = resumes
    ? former
    : { isKept, subscriptions: new Map(), due: new Map(), optional: new Set(), arrived: [], unexpected: [] }
  client.acknowledges(true)
  const connack = await client.connect(gateway.port, { version, isKept, isClean: startsClean })
  expect(connack).toMatchObject({ cmd: 'connack', sessionPresent: resumes })
}

const leave = ({ client }: Slot): Promise<void> => client.drop()

async function disconnect({ client }: Slot) {
  client.send({ cmd: 'disconnect' })
  await client.drop()
}

const topicOf = ({ device }: World, name: string) => `devices/${device.id}/own/${name}`

async function subscribe(world: World, { client, session }: Slot, { topic: name, qos }: StepOf<'subscribe'>) {
  const suback = await client.ask({
    cmd: 'subscribe',
    subscriptions: [{ topic: topicOf(world, name), qos }],
  } as never)
  expect(suback).toMatchObject({ granted: [qos] })
  session!.subscriptions.set(name, qos)
  doubt(world, session!, name, qos)
}

async function unsubscribe(world: World, { client, session }: Slot, { topic: name }: StepOf<'unsubscribe'>) {
  await client.ask({ cmd: 'unsubscribe', unsubscriptions: [topicOf(world, name)] } as never)
  session!.subscriptions.delete(name)
  doubt(world, session!, name, 0)
}

/** Messages that may be on their way while a subscription changes. */
function doubt({ messages }: World, { due, optional }: ModelSession, name: string, granted: number) {
  for (const [number, message] of messages.entries())
    if (message.topic === name && message.isCut && !message.isAcknowledged) {
      optional.add(number)
      due.set(number, Math.min(message.qos, granted))
    }
}

async function publish(world: World, at: Slot, { topic: name, qos, isCut }: StepOf<'publish'>) {
  const number = world.messages.length
  const message: Message = { topic: name, qos, isAcknowledged: false, isCut }
  world.messages.push(message)
  for (const { session } of world.slots) {
    const granted = session?.subscriptions.get(name)
    if (granted !== undefined) session!.due.set(number, Math.min(granted, qos))
  }
  const packet = {
    cmd: 'publish' as const,
    topic: topicOf(world, name),
    payload: `${number}`,
    qos,
    retain: false,
    dup: false,
  }
  if (qos === 0) at.client.send(packet)
  else at.client.publish(packet, () => (message.isAcknowledged = true))
  if (isCut) return leave(at)
  await at.client.settled()
  // QoS 0 has no acknowledgement: the answer to the next packet shows that the server has read the message.
  if (qos === 0)
    await at.client.ask({ cmd: 'unsubscribe', unsubscriptions: [topicOf(world, 'none')] } as never)
  expect(message.isAcknowledged || qos === 0).toBe(true)
}

/** The connections break, and another gateway continues with what is stored. */
async function kill({ slots }: World) {
  await gateway.kill()
  for (const at of slots) await leave(at)
}

/** Only sessions without a connection expire. */
async function expire({ device }: World, at: Slot) {
  if (at.client.isConnected() || !at.session?.isKept) return
  const { pool } = gateway.ctx
  const session = [device.number, at.client.clientId]
  // The end of the connection is stored first, unless the gateway was killed.
  await vi.waitFor(async () => {
    const { rows } = await pool.query(
      'select node_id from mqtt_sessions where client_number = $1 and client_id = $2',
      session,
    )
    expect(rows, 'the session is stored').toHaveLength(1)
    expect(rows[0].node_id).not.toBe(gateway.ctx.nodes.id)
  }, OFTEN)
  await pool.query(
    `update mqtt_sessions set node_id = null, expires_at = now() - interval '1 second'
     where client_number = $1 and client_id = $2`,
    session,
  )
  at.session = undefined
}

/** The device connects to a session that waits, and everything that it has published is acknowledged. */
async function comeBack(at: Slot) {
  if (at.session?.isKept && !at.client.isConnected())
    await connect(at, { version: 5, isKept: true, isClean: false })
  at.client.acknowledges(true)
  if (at.client.isConnected()) await at.client.settled()
}

/** Waits for what is due. */
async function findDeviations(world: World, at: Slot): Promise<string[]> {
  const { client } = at
  if (!at.session || !client.isConnected()) return []
  const { due, arrived, optional } = at.session
  const expected = [...due].flatMap(([number, qos]) =>
    qos > 0 && world.messages[number]!.isAcknowledged && !optional.has(number) ? [number] : [],
  )
  const findLost = () => expected.filter((number) => !arrived.includes(number))
  for (const untilMs = Date.now() + LOST_AFTER_MS; findLost().length > 0 && Date.now() < untilMs;)
    await sleep(10)
  const isFirst = (number: number, index: number) => arrived.indexOf(number) === index
  const repeated = arrived.filter((number, index) => !isFirst(number, index) && due.get(number) === 2)
  const disordered = ['x', 'y'].filter((name) => {
    const ofTopic = arrived.filter(
      (number, index) =>
        isFirst(number, index) &&
        expected.includes(number) &&
        !world.messages[number]!.isCut &&
        world.messages[number]!.topic === name,
    )
    return ofTopic.some((number, index) => index > 0 && number < ofTopic[index - 1]!)
  })
  return [
    ...at.session.unexpected.map((number) => `${client.clientId} got ${number} without a subscription`),
    ...findLost().map((number) => `${client.clientId} lost ${number}`),
    ...repeated.map((number) => `${client.clientId} got ${number} again, with QoS ${due.get(number)}`),
    ...disordered.map((name) => `${client.clientId} got ${name} in a wrong order: ${arrived.join(' ')}`),
  ]
}
