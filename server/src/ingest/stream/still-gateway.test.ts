/** What a gateway holds while it stands still, and a device sends again to another one. [docs/stream#partitions] */
import { expect, test } from 'vitest'
import { startIngestNode } from '../../../test/harness/ingest-node.ts'
import { skipWithoutNats } from '../../../test/harness/nats-server.ts'
import { startStreamGateway, telemetry } from '../../../test/harness/stream-gateway.ts'
import type { DeviceMessage } from '../message.ts'
import { encodeBatch, markLate } from './batch-format.ts'

test.skipIf(skipWithoutNats('a gateway that stood still'))(
  'what a gateway publishes late, after its device has sent it to another one, is not stored again',
  async () => {
    await using streams = await startStreamGateway()
    const { gateway } = streams
    await using _node = await startIngestNode(gateway)
    const { device } = await streams.connect()
    let batches = 0
    /** @param generation of the session from which the number came */
    const publish = (
      number: number,
      generation: number,
      { isLate = false, ...fields }: Partial<DeviceMessage> & { isLate?: boolean } = {},
    ) =>
      streams.useStream(async ({ publisher, prefix }) => {
        const message = {
          ...streams.makeMessage(device),
          payload: Buffer.from(telemetry([number])[0]!),
          packetId: number,
          sender: { number: 1, generation },
          ...fields,
        }
        const batch = encodeBatch(`batch-${++batches}`, [{ message, letter: undefined }])
        if (isLate) markLate(batch)
        await publisher.publish(`${prefix}.telemetry.${device.number % 64}`, batch)
      })
    await publish(1, 1)
    // The device moves: it sends again what was not acknowledged, and goes on.
    await publish(2, 2, { isRepeat: true })
    await publish(3, 2)
    await streams.untilStored()
    await publish(2, 1, { isLate: true })
    // In one commit with what precedes it, too.
    await publish(4, 3)
    await publish(3, 2, { isLate: true })
    await publish(5, 3)
    // Acknowledged to another device with the same client id, just before it was displaced.
    await publish(6, 2)
    await streams.untilStored()
    expect(await streams.readNumbers(device)).toEqual([1, 2, 3, 4, 5, 6])
  },
)
