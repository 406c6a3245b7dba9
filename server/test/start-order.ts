/**
 * The order in which test files start. Some wait for timeouts most of the time: these start early, since one of them
 * would run alone at the end, but spread over others that keep the processor busy meanwhile.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** In the order of their durations. Vitest knows only those of earlier runs on the same machine. */
const waiting = [
  // With all rounds, these tests take minutes.
  'server/test/stories/crash.test.ts',
  'server/test/stories/certificate-crash.test.ts',
  'server/test/stories/session-crash.test.ts',
  'server/test/stories/upgrade.test.ts',
  'server/test/stories/firmware-rollout.test.ts',
  'server/test/stories/backup.test.ts',
  'server/src/mqtt/sessions/model.test.ts',
  'server/src/access/decisions/agreement.test.ts',
  'server/test/stories/database-silent.test.ts',
  'server/test/stories/hanging-receivers.test.ts',
  'server/src/database/watch-silence.test.ts',
  'server/src/jobs/lost-database.test.ts',
  'server/test/stories/database-down.test.ts',
  'server/test/stories/stop.test.ts',
  'server/test/stories/disk-full.test.ts',
  'server/test/mqtt/protocol.test.ts',
  'server/src/providers/kinds/iothub/iothub.test.ts',
  'server/src/mqtt/limits/ledger.test.ts',
  'server/src/access/oidc/oidc.test.ts',
  'server/src/outbox/outbox.test.ts',
  'server/src/providers/methods/methods.test.ts',
  'server/src/database/queries.test.ts',
]
const OTHERS_BETWEEN = 3

const isNamed = (name: string, { moduleId }: TestSpecification) => moduleId.endsWith(`/${name}`)
const isStory = ({ moduleId }: TestSpecification) => moduleId.includes('/test/stories/')

export class StartOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's method, not the array's
    const sorted = await super.sort(files)
    const early = waiting.flatMap((name) => sorted.filter((file) => isNamed(name, file)))
    const others = sorted.filter((file) => !early.includes(file))
    // Stories take longer than tests of one room.
    return spread(early, [...others.filter(isStory), ...others.filter((file) => !isStory(file))])
  }
}

/** Puts each of the early files before a few others. */
function spread(early: TestSpecification[], others: TestSpecification[]) {
  const mixed = early.flatMap((file, index) => [
    file,
    ...others.slice(index * OTHERS_BETWEEN, (index + 1) * OTHERS_BETWEEN),
  ])
  return [...mixed, ...others.slice(early.length * OTHERS_BETWEEN)]
}
