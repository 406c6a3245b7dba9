/** What a gateway holds while it stands still, and a device sends again to another one. [docs/stream#partitions] */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '../../../test/harness/database.ts'
import type { TestDevice } from '../../../test/harness/gateway.ts'
import { startIngestNode } from '../../../test/harness/ingest-node.ts'
import { skipWithoutNats } from '../../../test/harness/nats-server.ts'
import { startStreamGateway, type StreamGateway, telemetry } from '../../../test/harness/stream-gateway.ts'
import type { DeviceMessage } from '../message.ts'
import { encodeBatch, markLate } from './batch-format.ts'
import { deletePastOpenings, insertOpenings, listOpenings, type SessionOpening } from './session-openings.ts'

const skip = skipWithoutNats('a gateway that stood still')

/** Publishes numbers of a device as gateways do. */
function createPublisher(streams: StreamGateway, device: TestDevice) {
  let batches = 0
  /** @param generation of the session from which the number came */
  return (
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
}

test.skipIf(skip)(
  'what a gateway publishes late, after its device has sent it to another one, is not stored again',
  async () => {
    await using streams = await startStreamGateway()
    await using _node = await startIngestNode(streams.gateway)
    const { device } = await streams.connect()
    const publish = createPublisher(streams, device)
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

test.skipIf(skip)(
  'it is not stored again either if the partition has gone from one ingest node to another, and to a third',
  async () => {
    await using streams = await startStreamGateway()
    const { device } = await streams.connect()
    const publish = createPublisher(streams, device)
    const first = await startIngestNode(streams.gateway)
    await publish(1, 1)
    await publish(2, 2, { isRepeat: true })
    await streams.untilStored()
    await first[Symbol.asyncDispose]()
    await (await startIngestNode(streams.gateway))[Symbol.asyncDispose]()
    await publish(2, 1, { isLate: true })
    await publish(3, 2)
    await using _third = await startIngestNode(streams.gateway)
    await streams.untilStored()
    expect(await streams.readNumbers(device)).toEqual([1, 2, 3])
  },
)

test.skipIf(skip)('nor if the ingest node of the partition died', async () => {
  await using streams = await startStreamGateway()
  const { db } = streams.gateway.ctx
  const { device } = await streams.connect()
  const publish = createPublisher(streams, device)
  const first = await startIngestNode(streams.gateway)
  await publish(1, 1)
  await publish(2, 2, { isRepeat: true })
  await streams.untilStored()
  // A node that dies releases nothing.
  await sql`
    create function refuse() returns trigger language plpgsql as $$begin raise exception 'the node died'; end$$`.execute(
    db,
  )
  await sql`
    create trigger refuse before update on ingest_partitions for each row when (new.node_id is null)
    execute function refuse()`.execute(db)
  await first[Symbol.asyncDispose]()
  await sql`drop function refuse cascade`.execute(db)
  expect([...(await streams.readOwners()).keys()]).toEqual([first.ctx.nodes.id])
  await using _second = await startIngestNode(streams.gateway)
  await publish(2, 1, { isLate: true })
  await publish(3, 2)
  await streams.untilStored()
  expect(await streams.readNumbers(device)).toEqual([1, 2, 3])
})

test('openings of sessions are known for ten minutes', async () => {
  await using database = await testDatabase()
  const { db } = database
  const opening = { number: 7, partition: 0, generation: 1 }
  const insert = (...openings: SessionOpening[]) => insertOpenings(db, 'telemetry', openings)
  await insert(opening, { ...opening, number: 8 })
  const pass = (seconds: number) =>
    sql`update ingest_session_openings set seen_at = seen_at - make_interval(secs => ${seconds})`.execute(db)
  await pass(590)
  await insert({ ...opening, generation: 3 })
  await pass(20)
  await insert({ ...opening, generation: 2 })
  expect(await listOpenings(db, [0, 1])).toEqual([{ ...opening, lane: 'telemetry', generation: 3 }])
  expect(await listOpenings(db, [1])).toEqual([])
  await deletePastOpenings(db)
  expect(await db.selectFrom('ingest_session_openings').select('session_number').execute()).toEqual([
    { session_number: '7' },
  ])
})
