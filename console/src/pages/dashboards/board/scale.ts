/** Scale of values in the options of a widget. */
export interface Scale {
  unit?: string
  decimals?: number
  min?: number
  max?: number
  thresholds?: { value: number; color?: string; label?: string }[]
}

/** The scale in the options of a widget; what has a wrong form is left out. */
export function readScale(options: Record<string, unknown>): Scale {
  const { unit, decimals, min, max, thresholds } = options
  return {
    ...(typeof unit === 'string' && { unit }),
    ...(Number.isInteger(decimals) && { decimals: Math.min(10, Math.max(0, decimals as number)) }),
    ...(Number.isFinite(min) && { min: min as number }),
    ...(Number.isFinite(max) && { max: max as number }),
    ...(Array.isArray(thresholds) && { thresholds: thresholds.flatMap(readThreshold) }),
  }
}

function readThreshold(value: unknown): NonNullable<Scale['thresholds']> {
  const { value: from, color, label } = (value ?? {}) as Record<string, unknown>
  if (!Number.isFinite(from)) return []
  const ink = readColor(color)
  return [{ value: from as number, ...(ink && { color: ink }), ...(typeof label === 'string' && { label }) }]
}

/** @returns undefined for what is no color in hexadecimal */
export const readColor = (color: unknown): string | undefined =>
  typeof color === 'string' && /^#[\dA-Fa-f]{3,8}$/.test(color) ? color : undefined

/** The place of a value between the limits, from 0 to 1; undefined unless the scale has both. */
export function readShare({ min, max }: Scale, value: unknown): number | undefined {
  if (typeof value !== 'number' || min === undefined || max === undefined || min >= max) return undefined
  return Math.min(1, Math.max(0, (value - min) / (max - min)))
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
