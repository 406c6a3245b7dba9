/**
 * The number of rounds of a test. `npm test` uses the smaller one, to stay short; CI sets GANGWAY_TEST_ROUNDS=all.
 */
export const rounds = (all: number, few: number): number =>
  process.env.GANGWAY_TEST_ROUNDS === 'all' ? all : few
