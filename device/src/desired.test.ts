import { expect, test, vi } from 'vitest'
import { startBroker } from '../test/broker.ts'
import { createGate } from '../test/gate.ts'
import { nextEvent } from '../test/next-event.ts'
import { quickClock } from '../test/quick-clock.ts'
import { connect } from './connect.ts'
import type { DesiredHandler, DesiredProperties } from './desired.ts'
import { createDesired } from './desired.ts'
import type { DeviceError } from './device-error.ts'

const state = (version: number, more: object = {}) => ({ ...more, $version: version })
const bytes = (message: unknown) => Buffer.from(JSON.stringify(message))

/** Lets running handlers continue. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('drops stale and repeated states, across reconnects too', async () => {
  const first = await startBroker()
  const { port } = first
  await using device = connect({
    host: '127.0.0.1',
    port,
    deviceId: 'pump-7',
    primaryKey: 'k',
    clock: quickClock(),
  })
  const seen: DesiredProperties[] = []
  device.onDesired((desired) => void seen.push(desired))
  await nextEvent(device, 'connected')
  const topic = 'devices/pump-7/twin/desired'
  await first.publish(topic, state(2, { target: 20 }))
  await first.publish(topic, state(1, { target: 10 }))
  await first.publish(topic, state(2, { target: 20 }))
  await first.publish(topic, state(3, { target: 30 }))
  await vi.waitFor(() => expect(seen).toHaveLength(2), { interval: 2 })
  await first.stop()

  await using second = await startBroker({ port })
  await nextEvent(device, 'connected')
  await second.publish(topic, state(3, { target: 30 }))
  await second.publish(topic, state(4, { target: 40 }))
  await vi.waitFor(() => expect(seen).toHaveLength(3), { interval: 2 })
  expect(seen.map(({ $version, target }) => [$version, target])).toEqual([
    [2, 20],
    [3, 30],
    [4, 40],
  ])
})

test('a handler that is set later receives the present state', async () => {
  const desired = createDesired(() => undefined)
  desired.receive(bytes(state(1)))
  desired.receive(bytes(state(2)))
  const handler = vi.fn<DesiredHandler>()
  const remove = desired.setHandler(handler)
  expect(handler.mock.calls).toEqual([[state(2)]])
  expect(() => desired.setHandler(vi.fn<DesiredHandler>())).toThrow('already')
  remove()
  desired.receive(bytes(state(3)))
  expect(handler).toHaveBeenCalledTimes(1)
})

test('the handler receives one state at a time, and only the newest of those that arrived meanwhile', async () => {
  const desired = createDesired(() => undefined)
  const started: (number | undefined)[] = []
  const gate = createGate()
  desired.setHandler(({ $version }) => {
    started.push($version)
    return gate.opened
  })
  for (const version of [1, 2, 3]) desired.receive(bytes(state(version)))
  expect(started).toEqual([1])
  gate.open()
  await settle()
  expect(started).toEqual([1, 3])
})

test('a failing handler and a payload that is no object are reported, and the next state is handled', async () => {
  const errors: DeviceError[] = []
  const desired = createDesired((error) => errors.push(error))
  const handler = vi.fn<DesiredHandler>().mockRejectedValueOnce(new Error('valve stuck'))
  desired.setHandler(handler)
  desired.receive(bytes(state(1)))
  await settle()
  desired.receive(Buffer.from('[1]'))
  desired.receive(Buffer.from('{'))
  desired.receive(bytes(state(2)))
  await settle()
  expect(errors.map(({ code }) => code)).toEqual(['handler_failed', 'invalid_desired', 'invalid_desired'])
  expect(handler).toHaveBeenLastCalledWith(state(2))
})

test('states without a version are all handled', () => {
  const desired = createDesired(() => undefined)
  const handler = vi.fn<DesiredHandler>()
  desired.setHandler(handler)
  desired.receive(bytes({ target: 1 }))
  expect(handler).toHaveBeenCalledTimes(1)
})
