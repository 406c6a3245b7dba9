import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { skipWithoutNats, startNats } from '../../../test/harness/nats-server.ts'
import { ensureStream } from './ensure-stream.ts'
import type { StreamConnection } from './state.ts'
import { watchStream } from './watch-stream.ts'

const skip = skipWithoutNats('looks at a stream')

test.skipIf(skip)('the log names messages of other programs, once [docs/stream#faults]', async () => {
  await using server = await startNats()
  const nats = await connect({ servers: server.url })
  const manager = await jetstreamManager(nats)
  const written: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void written.push(line) })
  const settings = { name: 'test', subject: 'test.ingest.*.*', maxBytes: 1024 * 1024 }
  const info = await ensureStream({ nats, manager, log }, settings)
  let looks = 0
  const stream = {
    nats,
    manager,
    info,
    name: 'test',
    prefix: 'test',
    partitions: 64,
    state: 'ok',
  } as StreamConnection
  stream.onLook = async () => void looks++
  const own = ['telemetry.63', 'reported.0', 'dead_letters.7']
  const foreign = ['other.1', 'reported.01', 'telemetry.64', 'telemetry.x']
  for (const place of [...own, ...foreign]) await jetstream(nats).publish(`test.ingest.${place}`, '')
  await using _watch = watchStream({ log }, stream, settings)
  await expect.poll(() => looks).toBeGreaterThan(1)
  expect([...stream.batches.keys()].toSorted()).toEqual(own.toSorted())
  expect(written.map((line) => JSON.parse(line))).toMatchObject([
    { count: 4, subjects: expect.arrayContaining(foreign.map((place) => `test.ingest.${place}`)) },
  ])
  await nats.close()
})
