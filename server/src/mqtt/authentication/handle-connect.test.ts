import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectPacket, startGateway, type TestGateway } from '../../../test/harness/gateway.ts'

let gateway: TestGateway
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

test('of many connections with one client id that open in the same turn the last one stays, and none is counted twice', async () => {
  const device = await gateway.makeDevice()
  const clients = await Promise.all(Array.from({ length: 20 }, () => gateway.raw()))
  for (const client of clients) client.send(connectPacket(device))
  let open = clients.length
  for (const { closed } of clients) void closed.then(() => open--)
  const connections = async () => (await gateway.ctx.metrics.mqttConnections.get()).values[0]!.value
  await expect.poll(() => open).toBe(1)
  await expect.poll(connections).toBe(1)
  expect(open).toBe(1)
  for (const client of clients) client.socket.destroy()
  await expect.poll(connections).toBe(0)
})
