import type { TestDatabase } from './database.ts'

/** Wraps a database: runs `work` after the given statement, counted from 1, before the next one. */
export function afterStatement(
  db: TestDatabase['db'],
  number: number,
  work: () => Promise<unknown>,
): TestDatabase['db'] {
  let left = number
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (--left === 0) await work()
      return result
    },
  })
}
