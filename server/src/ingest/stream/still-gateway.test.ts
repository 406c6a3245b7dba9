/** What a gateway holds while it stands still, and a device sends again to another one. [docs/stream#partitions] */
import { expect, test } from 'vitest'
import { startIngestNode } from '../../../test/harness/ingest-node.ts'
import { skipWithoutNats } from '../../../test/harness/nats-server.ts'
import { standStill } from '../../../test/harness/stand-still.ts'
import { startStreamGateway, telemetry } from '../../../test/harness/stream-gateway.ts'
import { encodeBatch } from './batch-format.ts'

test.skipIf(skipWithoutNats('a gateway that stood still'))(
  'a gateway that stood still publishes as repeats what a device may have sent to another one',
  async () => {
    await using streams = await startStreamGateway()
    const { gateway } = streams
    await using _node = await startIngestNode(gateway)
    await expect.poll(() => gateway.ctx.nodes.peers.exist).toBe(true)
    const { device } = await streams.connect()
    const [payload, later] = telemetry([1, 2]).map((text) => Buffer.from(text))
    const held = { ...streams.makeMessage(device), payload: payload! }
    const again = { ...held, receivedAtMs: held.receivedAtMs + 5000, isRepeat: true }
    await streams.useStream(({ publisher, prefix }) =>
      publisher
        .publish(
          `${prefix}.telemetry.${device.number % 64}`,
          encodeBatch('other', [{ message: again, letter: undefined }]),
        )
        .then(() => {}),
    )
    const { ingest } = gateway.parts.stream!
    const published = Promise.all(
      [held, { ...held, payload: later! }].map(
        (message) => new Promise((resolve) => ingest.telemetry(message, resolve)),
      ),
    )
    standStill()
    expect(await published).toEqual([undefined, undefined])
    await streams.untilStored()
    expect(await streams.readNumbers(device)).toEqual([1, 2])
  },
)
