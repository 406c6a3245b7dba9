import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import { bind, binding, makeClient } from '../../../test/harness/bindings.ts'
import { findDevice, makeMessage } from '../../../test/harness/device-message.ts'
import { otherProcess } from '../../../test/harness/other-process.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { joinNodes } from '../../nodes/nodes.ts'
import type { Parts } from '../../parts.ts'
import type { Device } from '../message.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

let made = 0
let asset = ''
let device: Device
beforeEach(async () => {
  const client = `sensor-${++made}`
  asset = `pump-${made}`
  await makeClient(platform, client)
  await insertAsset(platform, asset)
  device = await findDevice(platform, client)
  const endpointBindings = ['-/telemetry/temperature', '-/telemetry/pressure', '-/property/serial'].map(
    (key) => binding(`${asset}/${key}`, `${client}/${key}`),
  )
  expect((await bind(platform, asset, { endpointBindings })).status).toBe(200)
})

const send = (
  payload: object,
  { ingest }: Pick<Parts, 'ingest'> = platform.parts,
  kind: 'telemetry' | 'reported' = 'telemetry',
) =>
  new Promise<void>((resolve, reject) =>
    ingest[kind](makeMessage(device, payload, { packetId: ++packetId }), (error) =>
      error ? reject(error) : resolve(),
    ),
  )
let packetId = 100

/** The errors of bindings, by the end of their endpoint. */
async function errors(): Promise<Record<string, string>> {
  const { body } = await platform.get(`/v1/assets/${asset}/bindings`)
  const failing = body.bindings.filter((one: { lastError?: object }) => one.lastError)
  return Object.fromEntries(
    failing.map((one: { localEndpointId: string; lastError: { message: string } }) => [
      one.localEndpointId.split('/').at(-1),
      one.lastError.message,
    ]),
  )
}

test('the error of a binding is cleared when its values succeed again, and no other error is', async () => {
  await send({ temperature: 'warm', pressure: 'high' })
  expect(Object.keys(await errors())).toEqual(['pressure', 'temperature'])
  await send({ temperature: 20 })
  expect(Object.keys(await errors())).toEqual(['pressure'])
  await send({ serial: 5 }, platform.parts, 'reported')
  expect(Object.keys(await errors())).toEqual(['serial', 'pressure'])
  await send({ serial: 'A7' }, platform.parts, 'reported')
  expect(Object.keys(await errors())).toEqual(['pressure'])
})

test('a node that starts later clears errors that another one wrote', async () => {
  await send({ temperature: 'warm' })
  const later = otherProcess(platform.ctx)
  await send({ temperature: 20 }, later)
  expect(await errors()).toEqual({})
})

test('the error of a device that moves to another node is cleared there', async () => {
  const other = otherProcess(platform.ctx)
  await using _joined = await joinNodes(other.nodes)
  // The other node has read the plan while it had no errors.
  await send({ temperature: 19 }, other)
  await send({ temperature: 'warm' })
  expect(Object.keys(await errors())).toEqual(['temperature'])
  await expect.poll(() => other.plans.failures.failing.size).toBe(1)
  await send({ temperature: 20 }, other)
  expect(await errors()).toEqual({})
  // This node does not know it, which costs one query.
  const before = platform.ctx.plans.failures.failing.size
  await send({ temperature: 21 })
  expect(platform.ctx.plans.failures.failing.size).toBe(before - 1)
})

test('values that succeed write nothing to their bindings', async () => {
  const written = async () => {
    const { rows } = await platform.ctx.pool.query<{ xmin: string }>(
      `select b.xmin::text from asset_bindings b join assets a on a.number = b.asset_number where a.id = $1
       order by b.kind, b.name`,
      [asset],
    )
    return rows.map(({ xmin }) => xmin)
  }
  const before = await written()
  for (let value = 0; value < 5; value++) await send({ temperature: value })
  expect(await written()).toEqual(before)
  await send({ temperature: 'warm' })
  await send({ temperature: 20 })
  const cleared = await written()
  expect(cleared).not.toEqual(before)
  for (let value = 0; value < 5; value++) await send({ temperature: value })
  expect(await written()).toEqual(cleared)
})
