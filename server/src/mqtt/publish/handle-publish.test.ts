import type { Packet } from 'mqtt-packet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../../../test/harness/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

test('repeats of a message with QoS 2 that is not stored yet are answered together', async () => {
  const device = await gateway.makeDevice()
  const client = await gateway.raw(device)
  const publish = (messageId: number, dup: boolean): Packet => ({
    cmd: 'publish',
    topic: `devices/${device.id}/telemetry`,
    payload: '{"a":1}',
    qos: 2,
    messageId,
    dup,
    retain: false,
  })
  client.send(publish(1, false))
  expect(await client.next()).toMatchObject({ cmd: 'pubrec', messageId: 1 })
  const commits = await gateway.holdCommits()
  client.send(publish(2, false))
  await gateway.backlogReaches(1)
  for (let repeat = 0; repeat < 100; repeat++) client.send(publish(2, true))
  // A message that was answered already is answered again.
  client.send(publish(1, true))
  // The answer shows that the server has read all of them.
  client.send({ cmd: 'pingreq' })
  expect(await client.next()).toMatchObject({ cmd: 'pingresp' })
  await commits.release()
  const answers = [await client.next(), await client.next()]
  expect(answers.toSorted((a, b) => a.messageId! - b.messageId!)).toMatchObject([
    { cmd: 'pubrec', messageId: 1 },
    { cmd: 'pubrec', messageId: 2 },
  ])
  client.send({ cmd: 'pingreq' })
  expect(await client.next()).toMatchObject({ cmd: 'pingresp' })
  client.socket.destroy()
})
