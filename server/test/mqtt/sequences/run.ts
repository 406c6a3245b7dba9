/** Runs one sequence against a gateway, as one device. */
import { expect } from 'vitest'
import type { TestGateway } from '../../harness/gateway.ts'
import { type Connection, openConnection } from '../wire/connection.ts'
import type { ServerPacket } from '../wire/decode.ts'
import type { DevicePacket, Level } from '../wire/encode.ts'
import type { Text } from '../wire/fields.ts'
import { type Action, OUTSIDE, type Sequence } from './sequence.ts'

interface World {
  gateway: TestGateway
  device: { id: string; key: string }
  level: Level
  connections: Map<string, Connection>
  /** By connection, the packet identifiers of the messages that it got. */
  received: Map<string, number[]>
}

export async function expectSequence(gateway: TestGateway, { steps }: Sequence, level: Level): Promise<void> {
  const world: World = {
    gateway,
    device: await gateway.makeDevice(),
    level,
    connections: new Map(),
    received: new Map(),
  }
  try {
    for (const [index, { connection, action }] of steps.entries()) {
      try {
        await perform(world, connection, action)
      } catch (error) {
        ;(error as Error).message =
          `step ${index + 1} (${connection}: ${action.kind}): ${(error as Error).message}`
        throw error
      }
    }
  } finally {
    for (const connection of world.connections.values()) await connection.drop()
  }
}

async function perform(world: World, name: string, action: Action): Promise<void> {
  const { level } = world
  if (action.kind === 'wait') return new Promise((resolve) => void setTimeout(resolve, action.ms))
  if (action.kind === 'open') return void (await open(world, name))
  if (action.kind === 'connect') return acceptedConnect(world, name, action)
  const connection = world.connections.get(name)
  if (!connection) throw new Error('is not connected')
  switch (action.kind) {
    case 'send':
      for (const packet of action.packets)
        connection.send(resolvePacket(world, resolveId(world, name, packet)))
      return
    case 'write':
      return connection.write(Uint8Array.from(action.bytes))
    case 'get':
      return expectPackets(world, name, action)
    case 'get nothing':
      connection.send({ type: 'pingreq' })
      return expect(await next(world, name)).toEqual({ type: 'pingresp', properties: [] })
    case 'refused':
      return expectRefused(connection, level, action)
    case 'ended':
      return expectEnded(connection, level, action.reasonCodes)
    case 'closed':
      return expect(await connection.next()).toBe('closed')
    case 'drop':
      return connection.drop()
    case 'leave':
      connection.send({ type: 'disconnect', code: action.code })
      return expect(await connection.next()).toBe('closed')
    case 'pause':
      return connection.pause()
    case 'resume':
      return connection.resume()
  }
}

async function open({ gateway, level, connections }: World, name: string): Promise<Connection> {
  const connection = await openConnection(gateway.port, level)
  await connections.get(name)?.drop()
  connections.set(name, connection)
  return connection
}

async function acceptedConnect(
  world: World,
  name: string,
  { options, sessionPresent, properties = {} }: Extract<Action, { kind: 'connect' }>,
): Promise<void> {
  const connection = await openConnection(world.gateway.port, world.level)
  connection.send(resolvePacket(world, { type: 'connect', clientId: name, ...options }))
  const connack = await connection.next()
  expect(connack).toMatchObject({ type: 'connack', code: 0, sessionPresent })
  expect(Object.fromEntries((connack as ServerPacket).properties)).toMatchObject(properties)
  world.connections.set(name, connection)
}

async function expectPackets(
  world: World,
  name: string,
  { packets, inAnyOrder = false }: Extract<Action, { kind: 'get' }>,
): Promise<void> {
  const expected = packets.map((packet) => forLevel(world.level, resolveId(world, name, packet)))
  const received: unknown[] = []
  for (const _packet of expected) received.push(await next(world, name))
  const matching = inAnyOrder
    ? expected.map((packet) => received.find((candidate) => matches(candidate, packet)) ?? received)
    : received
  expect(matching).toMatchObject(expected)
}

const matches = (received: unknown, expected: object) => {
  try {
    expect(received).toMatchObject(expected)
    return true
  } catch {
    return false
  }
}

/** 3.1.1 has one code for every refused filter, and none in UNSUBACK. */
const forLevel = (level: Level, packet: object) =>
  level !== 5 && 'codes' in packet && 'type' in packet
    ? {
        ...packet,
        codes:
          packet.type === 'unsuback'
            ? []
            : (packet.codes as number[]).map((code) => (code >= 0x80 ? 0x80 : code)),
      }
    : packet

async function expectRefused(
  connection: Connection,
  level: Level,
  { returnCode, reasonCodes, mayBeSilent = false }: Extract<Action, { kind: 'refused' }>,
): Promise<void> {
  const answer = await connection.next()
  if (mayBeSilent && answer === 'closed') return
  if (level !== 5 && returnCode === undefined) return expect(answer).toBe('closed')
  expect(answer).toMatchObject({ type: 'connack', sessionPresent: false })
  const { code, properties } = answer as ServerPacket & { type: 'connack' }
  if (level === 5) {
    expect(reasonCodes).toContain(code)
    if (!mayBeSilent) expect(properties).toContainEqual(['reasonString', expect.any(String)])
  } else expect(code).toBe(returnCode)
  expect(await connection.next()).toBe('closed')
}

async function expectEnded(connection: Connection, level: Level, reasonCodes: number[]): Promise<void> {
  if (level === 5) {
    const packet = await connection.next()
    expect(packet).toMatchObject({ type: 'disconnect' })
    const { code, properties } = packet as ServerPacket & { type: 'disconnect' }
    expect(reasonCodes).toContain(code)
    expect(properties).toContainEqual(['reasonString', expect.any(String)])
  }
  expect(await connection.next()).toBe('closed')
}

/** The next packet, with a topic below the device's own without this beginning. */
async function next({ device, connections, received }: World, name: string): Promise<unknown> {
  const packet = await connections.get(name)!.next()
  if (packet === 'closed' || packet.type !== 'publish') return packet
  if (packet.id !== undefined) received.set(name, [...(received.get(name) ?? []), packet.id])
  const own = `devices/${device.id}/`
  return packet.topic.startsWith(own) ? { ...packet, topic: packet.topic.slice(own.length) } : packet
}

/** Puts in the packet identifier for which `received` stands. */
const resolveId = <P extends object>({ received }: World, name: string, packet: P): P =>
  'id' in packet && typeof packet.id === 'number' && packet.id < 0
    ? { ...packet, id: received.get(name)?.[-packet.id - 1] }
    : packet

function resolvePacket(world: World, packet: DevicePacket): DevicePacket {
  const own = (topic: Text) => resolveTopic(world.device.id, topic)
  switch (packet.type) {
    case 'connect':
      return {
        username: world.device.id,
        password: world.device.key,
        ...packet,
        ...(packet.will ? { will: { ...packet.will, topic: own(packet.will.topic) } } : {}),
      }
    case 'publish':
      return { ...packet, topic: own(packet.topic) }
    case 'subscribe':
      return { ...packet, filters: packet.filters.map(([filter, options]) => [own(filter), options]) }
    case 'unsubscribe':
      return { ...packet, filters: packet.filters.map(own) }
    default:
      return packet
  }
}

function resolveTopic(deviceId: string, topic: Text): Text {
  const own = `devices/${deviceId}/`
  if (typeof topic !== 'string') return Buffer.concat([Buffer.from(own), topic])
  return topic.startsWith(OUTSIDE) ? topic.slice(OUTSIDE.length) : own + topic
}
