import type { TestDatabase } from './database.ts'

export class Killed extends Error {}

/** Wraps a database: all statements after the given number fail, as if the process were killed. */
export function killAfter(db: TestDatabase['db'], statements: number): TestDatabase['db'] {
  let left = statements
  return db.withPlugin({
    transformQuery: ({ node }) => {
      if (left-- <= 0) throw new Killed()
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  })
}
