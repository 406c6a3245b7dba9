import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectPacket, startGateway, type TestGateway } from '../../../test/harness/gateway.ts'

let gateway: TestGateway
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

test('of many connections with one client id that open in the same turn the last one stays, and none is counted twice', async () => {
  const device = await gateway.makeDevice()
  const clients = await Promise.all(Array.from({ length: 20 }, () => gateway.raw()))
  for (const client of clients) client.send(connectPacket(device))
  const isOpen = await Promise.all(
    clients.map(async (client) => {
      const isAlive = new Promise<boolean>((resolve) => void setTimeout(resolve, 1000, true))
      return Promise.race([client.closed.then(() => false), isAlive])
    }),
  )
  expect(isOpen.filter(Boolean)).toHaveLength(1)
  const connections = async () => (await gateway.ctx.metrics.mqttConnections.get()).values[0]!.value
  expect(await connections()).toBe(1)
  for (const client of clients) client.socket.destroy()
  await expect.poll(connections).toBe(0)
})
