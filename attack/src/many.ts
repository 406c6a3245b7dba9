/** Summarizes the statuses of many requests: `12 × 200, 3 × 429`. */
export function countedText(outcomes: (string | number)[]): string {
  const counts = new Map<string | number, number>()
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  return [...counts].map(([outcome, count]) => `${count} × ${outcome}`).join(', ')
}

export const repeated = <T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)))
