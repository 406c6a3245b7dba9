/**
 * What a node has received and not stored, while devices sent the same again to other nodes.
 * [docs/operating#sessions-and-presence]
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeClient } from '../../test/harness/bindings.ts'
import { findDevice, makeMessage } from '../../test/harness/device-message.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { allSamples } from '../../test/harness/sample-tables.ts'
import { standStill } from '../../test/harness/stand-still.ts'
import { untilBlocked } from '../../test/harness/until-blocked.ts'
import type { Device, DeviceMessage, SenderSession } from './message.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  // As if there were another node.
  platform.ctx.nodes.peers.exist = true
})
afterAll(() => platform[Symbol.asyncDispose]())

let device: Device
let sender: SenderSession
let count = 0
beforeEach(async () => {
  await makeClient(platform, `sensor-${++count}`)
  device = await findDevice(platform, `sensor-${count}`)
  const { rows } = await platform.ctx.pool.query(
    `insert into mqtt_sessions (client_number, client_id, expiry_seconds, generation) values ($1, 'd', 60, 1) returning number`,
    [device.number],
  )
  sender = { number: Number(rows[0].number), generation: 1 }
})

type Lane = 'telemetry' | 'reported'
/** @returns why each message was refused, or undefined */
const deliver = (lane: Lane, ...messages: DeviceMessage[]): Promise<string | undefined>[] =>
  messages.map(
    (message) =>
      new Promise((resolve) => platform.parts.ingest[lane](message, (error) => resolve(error?.message))),
  )

async function countStored(): Promise<number> {
  const { rows } = await platform.ctx.pool.query(
    `select from series join ${allSamples} sample on series_number = number where owner_id = $1`,
    [device.id],
  )
  return rows.length
}

const openElsewhere = () =>
  platform.ctx.pool.query('update mqtt_sessions set generation = generation + 1 where number = $1', [
    sender.number,
  ])

const MOVED = 'The device has connected again, and sends the message again.'

// These come first: for half a minute after a pause, senders are locked from the beginning.
test.each<Lane>(['telemetry', 'reported'])(
  '%s that waited for the database is left to the node that its device is at by then',
  async (lane) => {
    const held = { ...makeMessage(device, { t: 1 }), sender, receivedAtMs: Date.now() - 10_000 }
    await openElsewhere()
    expect(await Promise.all(deliver(lane, held))).toEqual([MOVED])
    expect(await countStored()).toBe(0)
  },
)

test('a message whose commit a pause interrupted is no repeat of an equal one', async () => {
  const first = { ...makeMessage(device, { t: 1 }), sender }
  expect(await Promise.all(deliver('reported', first))).toEqual([undefined])
  const stopped = await platform.ctx.pool.connect()
  await stopped.query('begin; lock table sample_rows in share mode')
  const outcomes = deliver('reported', { ...first, receivedAtMs: Date.now() })
  await untilBlocked(platform.ctx.pool)
  standStill()
  await stopped.query('rollback')
  stopped.release()
  expect(await Promise.all(outcomes)).toEqual([undefined])
  expect(await countStored()).toBe(2)
})

test.each<Lane>(['telemetry', 'reported'])(
  '%s of a device that is at another node is left to that one, and what nobody sends again is stored',
  async (lane) => {
    const held = { ...makeMessage(device, { t: 1 }), sender }
    const own = makeMessage(device, { t: 2 }, { packetId: 0 })
    await openElsewhere()
    const outcomes = deliver(lane, held, own)
    standStill()
    expect(await Promise.all(outcomes)).toEqual([MOVED, undefined])
    expect(await countStored()).toBe(1)
    // The message as it arrives at its new node.
    const again = { ...held, sender: { ...sender, generation: 2 }, isRepeat: true }
    expect(await Promise.all(deliver(lane, again))).toEqual([undefined])
    expect(await countStored()).toBe(2)
  },
)

test('a message of a device that stayed is stored once, and its session cannot be opened elsewhere before the commit', async () => {
  const held = { ...makeMessage(device, { t: 1 }), sender }
  const stopped = await platform.ctx.pool.connect()
  // The commit waits for this lock after it has locked the session.
  await stopped.query('begin; lock table sample_rows in share mode')
  const outcomes = deliver('telemetry', held)
  standStill()
  await expect.poll(async () => (await findFree(sender)).length).toBe(0)
  await stopped.query('rollback')
  stopped.release()
  expect(await Promise.all(outcomes)).toEqual([undefined])
  expect(await countStored()).toBe(1)
})

test('equal values of a device without a stored session are messages of their own', async () => {
  const held = makeMessage(device, { t: 1 })
  expect(await Promise.all(deliver('telemetry', held))).toEqual([undefined])
  const outcomes = deliver('telemetry', { ...held, receivedAtMs: held.receivedAtMs + 1 })
  standStill()
  expect(await Promise.all(outcomes)).toEqual([undefined])
  expect(await countStored()).toBe(2)
})

test('a device that stayed may send equal values with one packet identifier', async () => {
  standStill()
  const first = { ...makeMessage(device, { t: 1 }), sender }
  for (const receivedAtMs of [first.receivedAtMs, first.receivedAtMs + 1])
    expect(await Promise.all(deliver('telemetry', { ...first, receivedAtMs }))).toEqual([undefined])
  expect(await countStored()).toBe(2)
})

/** @returns the session, unless another transaction holds on to it */
const findFree = async ({ number }: SenderSession) =>
  (
    await platform.ctx.pool.query('select from mqtt_sessions where number = $1 for update skip locked', [
      number,
    ])
  ).rows
