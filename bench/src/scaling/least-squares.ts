export interface Row {
  /** How much of each unknown is in the sum. */
  shares: Record<string, number>
  sum: number
}

const ROUNDS = 3000

/**
 * Least squares of the relative errors, where no unknown is negative: one after the other takes its best value until none
 * changes any more.
 */
export function solve(rows: Row[]): Record<string, number> {
  const names = [...new Set(rows.flatMap(({ shares }) => Object.keys(shares)))]
  const known = rows.filter(({ sum }) => sum > 0)
  const lefts = known.map(() => 1)
  const columns = names.map((name) => ({
    value: 0,
    shares: known.map(({ shares, sum }) => (shares[name] ?? 0) / sum),
  }))
  for (let round = 0; round < ROUNDS; round++)
    for (const column of columns) {
      let above = 0
      let below = 0
      for (const [at, share] of column.shares.entries()) {
        above += share * (lefts[at]! + share * column.value)
        below += share * share
      }
      const value = below > 0 ? Math.max(0, above / below) : 0
      for (const [at, share] of column.shares.entries()) lefts[at]! -= share * (value - column.value)
      column.value = value
    }
  return Object.fromEntries(names.map((name, index) => [name, columns[index]!.value]))
}
