/** The sequences of packets of both protocol versions, against one gateway. [docs/mqtt] */
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startGateway, type TestGateway } from '../harness/gateway.ts'
import { sequenceGroups } from './sequences/groups.ts'
import { runSequence } from './sequences/run.ts'
import type { Sequence } from './sequences/sequence.ts'
import { timedSequences } from './sequences/timed.ts'

const versions = [
  { name: 'MQTT 3.1.1', level: 4, shown: 'in3' },
  { name: 'MQTT 5', level: 5, shown: 'in5' },
] as const

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

for (const { name, level, shown } of versions) {
  const belongs = (sequence: Sequence) => sequence[shown] !== undefined
  describe(name, () => {
    for (const [group, sequences] of Object.entries(sequenceGroups))
      describe.runIf(sequences.some(belongs))(group, () => {
        for (const sequence of sequences.filter(belongs))
          test.concurrent(sequence.name, { fails: sequence.fails !== undefined }, () =>
            runSequence(gateway, sequence, level),
          )
      })

    describe('what takes time', () => {
      // All of them wait at once.
      const results = new Map<Sequence, Promise<unknown>>()
      beforeAll(() => {
        for (const sequence of timedSequences.filter(belongs))
          results.set(
            sequence,
            runSequence(gateway, sequence, level).catch((error: unknown) => error),
          )
      })
      for (const sequence of timedSequences.filter(belongs))
        test(sequence.name, { fails: sequence.fails !== undefined }, async ({ expect }) =>
          expect(await results.get(sequence)).toBeUndefined(),
        )
    })
  })
}
