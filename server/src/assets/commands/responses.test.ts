/** Responses of a device, compared with the response schema in the model of the asset. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, insertBinding, makeModel } from '../../../test/harness/assets.ts'
import {
  asked,
  type CommandWorld,
  type Pump,
  startCommandWorld,
} from '../../../test/harness/command-world.ts'

const model = 'dtmi:com:example:Scale;1'
let world: CommandWorld
let pump: Pump
beforeAll(async () => {
  world = await startCommandWorld()
  const response = { name: 'weight', schema: 'double' }
  await makeModel(world.platform, model, [
    { '@type': 'Command', name: 'weigh', response },
    { '@type': 'Command', name: 'look', response: { ...response, nullable: true } },
    { '@type': 'Command', name: 'tare' },
  ])
  pump = await world.makePump()
  await insertAsset(world.platform, 'scale', { modelId: model })
  for (const name of ['weigh', 'look', 'tare'])
    await insertBinding(world.platform, `scale/-/command/${name}`, [`${pump.client}/-/command/spin`])
})
afterAll(() => world[Symbol.asyncDispose]())

/** @returns the state of the command */
async function answered(name: string, status: number, payload: unknown) {
  const session = pump.connect('spin')
  const at = `/v1/assets/scale/commands/${name}`
  const { commandId } = (await world.platform.post(at, {})).body
  pump.answer(await asked(session), status, payload)
  session.end('connection_lost', '')
  for (;;) {
    const { body } = await world.platform.get(at)
    expect(body.commandId).toBe(commandId)
    if (body.status !== 'running') return body
  }
}

test.each([
  ['a number where one is promised', 'weigh', 12.5],
  ['null where it may be', 'look', null],
  ['anything where nothing is promised', 'tare', { any: ['thing'] }],
  ['nothing where nothing is promised', 'tare', null],
])('%s is a success', async (_what, name, payload) => {
  expect(await answered(name, 200, payload)).toMatchObject({
    status: 'succeeded',
    statusMessage: null,
    responsePayload: payload,
  })
})

test.each([
  ['text for a number', 'weigh', 'heavy'],
  ['an object for a number', 'weigh', { weight: 12.5 }],
  ['null where it may not be', 'weigh', null],
  ['text where a number or null is promised', 'look', 'heavy'],
])('%s is failed, with the reason and the response', async (_what, name, payload) => {
  expect(await answered(name, 200, payload)).toMatchObject({
    status: 'failed',
    statusMessage: `response_unfit: The device did it, but its answer does not fit the response of ${name}, which is double.`,
    responsePayload: payload,
    responseTimestamp: expect.any(String),
  })
})

test('the response of a failed command is not checked against the model', async () => {
  expect(await answered('weigh', 500, 'broken')).toMatchObject({
    status: 'failed',
    statusMessage: 'The device answered with status 500.',
    responsePayload: 'broken',
  })
})
