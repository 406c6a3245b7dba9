/** @throws for no values */
export const median = (values: readonly number[]): number => percentile(values, 50)

/** The middle two are averaged; other percentiles are the nearest value that was measured. */
export function percentile(values: readonly number[], percent: number): number {
  if (values.length === 0) throw new Error('nothing was measured')
  const sorted = Float64Array.from(values).toSorted()
  const rank = (percent / 100) * (sorted.length - 1)
  if (percent === 50) return (sorted[Math.floor(rank)]! + sorted[Math.ceil(rank)]!) / 2
  return sorted[Math.round(rank)]!
}
