/** Starts the stories first: one of them takes as long as a hundred other files, and would run alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const isStory = ({ moduleId }: TestSpecification) => moduleId.includes('/test/stories/')

export class StoriesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's method, not the array's
    const sorted = await super.sort(files)
    return [...sorted.filter(isStory), ...sorted.filter((file) => !isStory(file))]
  }
}
