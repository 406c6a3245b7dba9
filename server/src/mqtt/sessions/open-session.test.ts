import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../../../test/harness/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

test('connections that are opened at the same time are counted as well', async () => {
  const device = await gateway.makeDevice()
  const attempts = await Promise.allSettled(
    Array.from({ length: 60 }, (_, index) => gateway.raw(device, { clientId: `session-${index}` })),
  )
  const opened = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? attempt.value : []))
  expect(opened).toHaveLength(50)
  for (const { socket } of opened) socket.destroy()
})

test('a stored session that is opened later than the device waits is left again', async () => {
  const device = await gateway.makeDevice()
  const holder = await gateway.database.pool.connect()
  await holder.query('begin')
  await holder.query('select from provider_clients where number = $1 for update', [device.number])
  await expect(gateway.raw(device, { clean: false })).rejects.toThrow('"returnCode":3')
  await holder.query('commit')
  holder.release()
  const listSessions = async () => {
    const { rows } = await gateway.database.pool.query(
      'select node_id, expires_at is not null as expires from mqtt_sessions where client_number = $1',
      [device.number],
    )
    return rows
  }
  await expect.poll(listSessions).toEqual([{ node_id: null, expires: true }])
})
