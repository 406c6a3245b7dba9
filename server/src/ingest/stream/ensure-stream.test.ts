import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { expect, test, vi } from 'vitest'
import { testLog } from '../../../test/harness/log.ts'
import { skipWithoutNats, startNats, startNatsCluster } from '../../../test/harness/nats-server.ts'
import { ensureStream } from './ensure-stream.ts'

const skip = skipWithoutNats('settings of a stream')

test.skipIf(skip)(
  'a lower limit waits until the stream holds less than half of it [docs/stream#the-stream]',
  async () => {
    await using server = await startNats()
    const nats = await connect({ servers: server.url })
    const manager = await jetstreamManager(nats)
    const ensure = (maxBytes: number) =>
      ensureStream({ nats, manager, log: testLog }, { name: 'test', subject: 'test.*.*', maxBytes })
    await ensure(64 * 1024)
    for (let count = 0; count < 16; count++)
      await jetstream(nats).publish('test.telemetry.0', Buffer.alloc(1000))
    for (const limit of [8 * 1024, 24 * 1024]) {
      const { config, state } = await ensure(limit)
      expect([config.max_bytes, state.messages]).toEqual([64 * 1024, 16])
    }
    const { config, state } = await ensure(48 * 1024)
    expect([config.max_bytes, state.messages]).toEqual([48 * 1024, 16])
    await nats.close()
  },
)

test.skipIf(skip)('limits with which NATS would delete batches are taken away', async () => {
  await using server = await startNats()
  const nats = await connect({ servers: server.url })
  const manager = await jetstreamManager(nats)
  const ensure = () =>
    ensureStream({ nats, manager, log: testLog }, { name: 'test', subject: 'test.*.*', maxBytes: 64 * 1024 })
  const { config } = await ensure()
  await manager.streams.update('test', { max_age: 1e12, max_msgs: 7, max_msgs_per_subject: 3 })
  expect((await ensure()).config).toMatchObject({
    max_age: config.max_age,
    max_msgs: config.max_msgs,
    max_msgs_per_subject: config.max_msgs_per_subject,
  })
  await nats.close()
})

test.skipIf(skip)('a cluster without the space is refused at once', async () => {
  await using cluster = await startNatsCluster('')
  const nats = await connect({ servers: cluster.url.split(',') })
  const manager = await vi.waitFor(() => jetstreamManager(nats))
  const settings = { name: 'test', subject: 'test.*.*', maxBytes: 900_000_000_000_000 }
  await expect(
    vi.waitUntil(() =>
      ensureStream({ nats, manager, log: testLog }, settings).catch((error: Error) =>
        error.name === 'NatsUnusableError' ? error.message : undefined,
      ),
    ),
  ).resolves.toContain('JetStream has no 900000000000000 bytes left for the stream')
  await nats.close()
})
