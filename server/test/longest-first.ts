/**
 * Starts the files that take longest first: they mostly wait, so that other files run meanwhile, and one of them would
 * run alone at the end.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** In the order of their durations. Vitest knows only those of earlier runs on the same machine. */
const longest = [
  'server/test/stories/database-silent.test.ts',
  'server/test/stories/hanging-receivers.test.ts',
  'server/src/jobs/lost-database.test.ts',
  'server/src/database/watch-silence.test.ts',
  'server/test/stories/stop.test.ts',
  'server/test/stories/database-down.test.ts',
]

const rank = ({ moduleId }: TestSpecification) => {
  const place = longest.findIndex((file) => moduleId.endsWith(`/${file}`))
  if (place !== -1) return place
  return longest.length + (moduleId.includes('/test/stories/') ? 0 : 1)
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's method, not the array's
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
