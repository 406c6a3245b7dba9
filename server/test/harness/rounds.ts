/**
 * How often a test repeats itself. `npm test` takes the smaller number, to stay short; CI runs these files once more with
 * GANGWAY_TEST_ROUNDS=all.
 */
export const rounds = (all: number, few: number): number =>
  process.env.GANGWAY_TEST_ROUNDS === 'all' ? all : few
