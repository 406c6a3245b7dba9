/** Scale of values in the options of a widget. */
export interface Scale {
  unit?: string
  decimals?: number
  min?: number
  max?: number
  thresholds?: { value: number; color?: string; label?: string }[]
}

/** The threshold that applies to a value: the greatest one that it reaches. */
export const findThreshold = ({ thresholds = [] }: Scale, value: number) =>
  thresholds.filter((threshold) => threshold.value <= value).toSorted((a, b) => b.value - a.value)[0]

/** Limits of an axis; a scale without them is taken from the value. */
export function readLimits({ min, max }: Scale, value: number): { min: number; max: number } {
  const least = min ?? Math.min(0, value)
  const greatest = max ?? niceAbove(Math.max(value, least + 1))
  return { min: least, max: greatest > least ? greatest : least + 1 }
}

/** The next of 1, 2, 5, 10, 20, 50… */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.abs(value) || 1))
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value) ?? 10 * power
}
