import type { NatsConnectionImpl } from '@nats-io/transport-node'
import { expect, test, vi } from 'vitest'
import { testLog } from '../../test/harness/log.ts'
import { skipWithoutNats, startNats } from '../../test/harness/nats-server.ts'
import { startSilentProxy } from '../../test/harness/silent-proxy.ts'
import { closeNats, connectToNats } from './nats.ts'
import { parseNatsUrl } from './nats-url.ts'

const skip = skipWithoutNats('connections to NATS')

test.skipIf(skip)('a connection that takes nothing any more is replaced', async () => {
  await using server = await startNats()
  await using proxy = await startSilentProxy(server.url)
  const nats = await connectToNats({ natsUrl: parseNatsUrl(proxy.url) }, { log: testLog, name: 'test' })
  const seen: string[] = []
  void (async () => {
    for await (const { type } of nats.status()) seen.push(type)
  })()
  proxy.stopReading()
  const { socket } = (nats as NatsConnectionImpl).protocol.transport as unknown as {
    socket: { writableLength: number }
  }
  // Until the buffers of the system are full.
  await vi.waitFor(
    () => {
      nats.publish('test', 'x'.repeat(1_000_000))
      expect(socket.writableLength).toBeGreaterThan(2_000_000)
    },
    { interval: 10 },
  )
  await vi.waitFor(() => expect(seen).toContain('reconnect'))
  await nats.flush()
  await closeNats(nats)
})
