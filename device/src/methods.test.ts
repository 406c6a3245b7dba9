import { expect, test, vi } from 'vitest'
import { startBroker } from '../test/broker.ts'
import { createGate } from '../test/gate.ts'
import { nextEvent } from '../test/next-event.ts'
import { quickClock } from '../test/quick-clock.ts'
import { connect } from './connect.ts'
import type { MethodHandler } from './methods.ts'

const root = 'devices/pump-7/methods'
const invocation = (correlationId: string, payload: unknown = null) => ({
  correlationId,
  payload,
  timeoutSeconds: 30,
})

async function start() {
  const broker = await startBroker()
  const options = {
    host: '127.0.0.1',
    port: broker.port,
    deviceId: 'pump-7',
    primaryKey: 'k',
    clock: quickClock(),
  }
  const device = connect(options)
  const errors: string[] = []
  device.on('error', ({ code }) => errors.push(code))
  await nextEvent(device, 'connected')
  const invoke = (name: string, message: unknown) => broker.publish(`${root}/${name}/invoke`, message)
  const answers = (count: number) =>
    vi.waitFor(
      () => {
        expect(broker.received).toHaveLength(count)
        return broker.received
      },
      { interval: 2 },
    )
  return {
    broker,
    device,
    errors,
    invoke,
    answers,
    async [Symbol.asyncDispose]() {
      await device.close()
      await broker.stop()
    },
  }
}

test('runs the handler and answers under the correlation id', async () => {
  await using story = await start()
  const handler = vi.fn<MethodHandler>(async () => ({ status: 202, payload: { queued: true } }))
  story.device.onMethod('reboot', handler)
  story.device.onMethod('ping', () => undefined)
  await story.invoke('reboot', invocation('c-1', { delay: 5 }))
  expect(await story.answers(1)).toEqual([
    { topic: `${root}/reboot/response/c-1`, body: { status: 202, payload: { queued: true } } },
  ])
  expect(handler).toHaveBeenCalledWith({ delay: 5 }, { correlationId: 'c-1', timeoutSeconds: 30 })
  await story.invoke('ping', invocation('c-2'))
  expect((await story.answers(2))[1]?.body).toEqual({ status: 200, payload: null })
})

test('a method without a handler is answered with 404, one whose handler throws with 500 and its message', async () => {
  await using story = await start()
  story.device.onMethod('open', () => {
    throw new Error('valve stuck')
  })
  await story.invoke('close', invocation('c-1'))
  expect((await story.answers(1))[0]?.body).toMatchObject({
    status: 404,
    payload: { error: 'method_not_found' },
  })
  await story.invoke('open', invocation('c-2'))
  expect((await story.answers(2))[1]?.body).toMatchObject({
    status: 500,
    payload: { message: 'valve stuck' },
  })
  expect(story.errors).toEqual(['handler_failed'])
})

test('an answer that cannot be sent becomes 500 too', async () => {
  await using story = await start()
  story.device.onMethod('dump', () => ({ payload: 'x'.repeat(1_000_000) }))
  story.device.onMethod('odd', () => ({ status: 2.5 }))
  await story.invoke('dump', invocation('c-1'))
  expect((await story.answers(1))[0]?.body).toMatchObject({ status: 500 })
  await story.invoke('odd', invocation('c-2'))
  expect((await story.answers(2))[1]?.body).toMatchObject({ status: 500 })
})

// [docs/mqtt#direct-methods]: duplicate deliveries are possible under QoS 1.
test('a repeated invocation is not run again; the answer is sent again', async () => {
  await using story = await start()
  const gate = createGate()
  const handler = vi.fn<MethodHandler>(() => gate.opened)
  story.device.onMethod('open', handler)
  await story.invoke('open', invocation('c-1'))
  await story.invoke('open', invocation('c-1'))
  await vi.waitFor(() => expect(handler).toHaveBeenCalled(), { interval: 2 })
  gate.open()
  await story.answers(1)
  await story.invoke('open', invocation('c-1'))
  const [first, second] = await story.answers(2)
  expect(second).toEqual(first)
  expect(handler).toHaveBeenCalledTimes(1)
})

test('an answer without a connection is sent over the next one', async () => {
  const { broker, device, invoke } = await start()
  const gate = createGate()
  const handler = vi.fn<MethodHandler>(() => gate.opened)
  device.onMethod('open', handler)
  await invoke('open', invocation('c-1'))
  await vi.waitFor(() => expect(handler).toHaveBeenCalled(), { interval: 2 })
  const lost = nextEvent(device, 'disconnected')
  await broker.stop()
  await lost
  gate.open()
  await using next = await startBroker({ port: broker.port })
  await vi.waitFor(() => expect(next.received).toHaveLength(1), { interval: 2 })
  expect(next.received[0]?.topic).toBe(`${root}/open/response/c-1`)
  await device.close()
})

test.each([
  ['no JSON', '{'],
  ['no correlation id', { payload: 1 }],
  ['one that would leave its topic', invocation('a/../#')],
])('an invocation with %s is reported and not answered', async (_name, message) => {
  await using story = await start()
  await story.invoke('open', message)
  await story.invoke('open', invocation('c-1'))
  expect((await story.answers(1))[0]?.topic).toBe(`${root}/open/response/c-1`)
  expect(story.errors).toEqual(['invalid_invocation'])
})

test('a name has one handler, and is a topic level', async () => {
  await using story = await start()
  const remove = story.device.onMethod('open', () => undefined)
  expect(() => story.device.onMethod('open', () => undefined)).toThrow('already')
  expect(() => story.device.onMethod('a/b', () => undefined)).toThrow(TypeError)
  remove()
  story.device.onMethod('open', () => undefined)
})
