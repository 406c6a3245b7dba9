/** The sequences of packets of both protocol versions, against one gateway. [docs/mqtt] */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../harness/gateway.ts'
import { sequenceGroups } from './sequences/groups.ts'
import { expectSequence } from './sequences/run.ts'
import type { Sequence } from './sequences/sequence.ts'
import { timedSequences } from './sequences/timed.ts'

const versions = [
  ['MQTT 3.1.1', 4, 'in3'],
  ['MQTT 5', 5, 'in5'],
] as const

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

describe.each(versions)('%s', (_version, level, shown) => {
  const named = (sequences: Sequence[]) =>
    sequences
      .filter((sequence) => sequence[shown] !== undefined)
      .map((sequence) => [sequence.name, sequence] as const)
  const groups = Object.entries(sequenceGroups).filter(([, sequences]) => named(sequences).length > 0)

  describe.each(groups)('%s', (_group, sequences) => {
    test.concurrent.each(named(sequences))('%s', async (_name, sequence) => {
      await expectSequence(gateway, sequence, level)
    })
  })

  describe('what takes time', () => {
    // All of them wait at once.
    const results = new Map<Sequence, Promise<unknown>>()
    beforeAll(() => {
      for (const [, sequence] of named(timedSequences))
        results.set(
          sequence,
          expectSequence(gateway, sequence, level).catch((error: unknown) => error),
        )
    })
    test.each(named(timedSequences))('%s', async (_name, sequence) => {
      expect(await results.get(sequence)).toBeUndefined()
    })
  })
})
